"""The pieces that configs are made of: numbers that are numbers, mappings that know their keys."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from arena.plan.config import path_text
from engines.errors import UserError, nearest
from engines.texts import brief, clean


def no_bool(value: Any) -> Any:
    """Numbers only: YAML's `yes` is no number."""
    if isinstance(value, bool):
        raise PydanticCustomError(
            "number", "{value}, expected a number", {"value": str(value).lower()}
        )
    return value


def as_list(value: Any) -> Any:
    """One value as a list of one."""
    return value if isinstance(value, list | tuple) else [value]


Whole = Annotated[int, BeforeValidator(no_bool)]
Number = Annotated[float, BeforeValidator(no_bool)]
Seconds = Annotated[Number, Field(gt=0, le=7 * 24 * 3600)]


class Part(BaseModel):
    """A frozen piece of a config that knows its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def check_keys(cls, data: Any, info: ValidationInfo) -> Any:
        """A mapping with known keys only; the error names the nearest."""
        data = cls.expand(data)
        if not isinstance(data, Mapping):
            what = {"value": brief(data), "known": ", ".join(cls.model_fields)}
            raise PydanticCustomError("mapping", "{value}, expected a mapping of {known}", what)
        for key in data:
            if key not in cls.model_fields:
                hint = (
                    nearest(str(key), cls.model_fields)
                    or f", known are {', '.join(cls.model_fields)}"
                )
                raise PydanticCustomError(
                    "key", "{key}: unknown{hint}", {"key": clean(str(key), 60), "hint": hint}
                )
        return data

    @classmethod
    def expand(cls, data: Any) -> Any:
        """Short forms as mappings."""
        return data


class ClockEntry(Part):
    """The time that each player has in a match for all decisions together."""

    bank_seconds: Seconds
    increment_seconds: Annotated[Number, Field(ge=0, le=3600)] = 0.0  # after each decision

    @property
    def text(self) -> str:
        """The clock in words."""
        return f"{self.bank_seconds:g} s a match and {self.increment_seconds:g} s more a decision"


def read_clock(text: str | None) -> ClockEntry | None:
    """The clock that `300+5` means: seconds a match, and more after each decision; UserError where it is none."""
    if text is None:
        return None
    bank, _, increment = text.partition("+")
    try:
        return ClockEntry(bank_seconds=float(bank), increment_seconds=float(increment or 0))
    except ValueError:
        raise UserError(
            f"--clock {brief(text)}, expected seconds a match and perhaps more a decision, e.g. 300+5"
        ) from None


class GoalEntry(Part):
    """What an adaptive schedule is to find out; `order` is short for neither of its keys."""

    top: Annotated[Whole, Field(ge=1)] | None = None  # who these are
    versus: str | None = None  # how all others stand to this bot

    @classmethod
    def expand(cls, data: Any) -> Any:
        """The word `order` is the order of all."""
        if data == "order":
            return {}
        if not isinstance(data, Mapping):
            expected = "expected order, {top: K} or {versus: NAME}"
            what = {"given": brief(data), "expected": expected}
            raise PydanticCustomError("rule", "{given}, {expected}", what)
        return data

    @model_validator(mode="after")
    def check_one(self) -> "GoalEntry":
        """One of `top` and `versus`."""
        if self.top is not None and self.versus is not None:
            raise PydanticCustomError("both", "top and versus: give one of them")
        return self


class FormatKeys(Part):
    """What a config may say of a format (see `arena.plan.formats`); each key is of some formats only."""

    rounds: Annotated[Whole, Field(ge=1, le=1000)] | None = None
    cut: Annotated[Whole, Field(ge=2)] | None = None  # how many go on to a knockout
    groups: Annotated[Whole, Field(ge=1, le=26)] | None = None
    advance: Annotated[Whole, Field(ge=1)] | None = None  # of each group
    seeding: Literal["listed", "drawn"] = "listed"  # the first bot is the best seed, or lots say
    max_fault_share: Annotated[Number, Field(gt=0, lt=1)] | None = None  # then a bot is set aside
    goal: GoalEntry | None = None
    until: Annotated[Number, Field(ge=50, lt=100)] | None = None  # sure of a table's winner, in %


def explained(error: ErrorDetails) -> str:
    """A validation error as `path: value, expected ...`."""
    path, kind, limits = path_text(error["loc"]), error["type"], error.get("ctx", {})
    if kind in ("key", "both", "focus"):
        return f"{path}.{error['msg']}".removeprefix(".")
    if kind == "label":
        return f"{path}{error['msg']}"
    if kind in ("mapping", "number", "rule"):
        return f"{path}: {error['msg']}".removeprefix(": ")
    if kind == "missing":
        return f"{path}: missing"
    expected = {
        "greater_than_equal": "at least {ge}",
        "less_than_equal": "at most {le}",
        "greater_than": "more than {gt}",
        "less_than": "less than {lt}",
        "too_short": "at least one",
        "literal_error": "{expected}",
        "string_pattern_mismatch": "letters, digits, spaces and . , + = - only",
        "string_too_long": "at most {max_length} letters",
        "tuple_type": "a list",
        "dict_type": "a mapping",
        "string_type": "a word",
    }.get(kind, "a whole number" if kind.startswith("int") else "a number")
    hint = (
        nearest(brief(error["input"]).strip("'"), literals(limits))
        if kind == "literal_error"
        else ""
    )
    allowed = expected.format(**limits).replace("'", "")
    return f"{path}: {brief(error['input'])}, expected {allowed}{hint}"


def literals(context: Mapping[str, Any]) -> list[str]:
    """The allowed words of a failed choice."""
    return [word.strip(" '") for word in str(context["expected"]).replace(" or ", ",").split(",")]
