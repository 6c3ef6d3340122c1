"""Trained networks as bots."""

import json
import runpy
import struct
import sys
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from arena.cli import main
from bots.contract import Bot, View
from bots.networks import make_network, purpose_of, read_policy, write_policy
from bots.registry import parse_bot
from engines.core import Game, load_game
from engines.encoding import Encoder
from engines.errors import UserError
from engines.rng import seeded

FOUR = load_game("connect_four")
SIZE = Encoder(FOUR, 2).size
MIDDLE = [0.0, 1.0, 2.0, 9.0, 2.0, 1.0, 0.0, 0.0, 0.0]


def view_of(game: Game, players: int = 2, **options: Any) -> tuple[View, list[int]]:
    states = game.new_state(players, game.Variant(**options), seeded(1))
    legal = game.legal(states).tolist()
    return View(game, game.view(states, 0), legal, (), 1), legal


def preferring(order: list[float]) -> list[tuple[Any, Any]]:
    """One layer that scores columns always so."""
    return [(np.zeros((SIZE, len(order))), np.array(order))]


def small_network(rng: np.random.Generator, *sizes: int) -> list[tuple[Any, Any]]:
    return [(rng.normal(size=(a, b)), rng.normal(size=b)) for a, b in pairwise(sizes)]


def seated(file: Path, **options: Any) -> Bot:
    bot = parse_bot("policy", {"weights": str(file), **options}).make()
    bot.reset(FOUR, view_of(FOUR)[0], 1)
    return bot


# --- the file that onnxruntime reads, as its bytes are (onnx.proto) ---------------------------------------


def field(number: int, *values: bytes | int | str) -> bytes:
    """Fields of a message of protobuf, one for each value."""
    out = b""
    for value in values:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(content)) + content
    return out


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def tensor(name: str, values: Any) -> bytes:
    array = np.asarray(values, np.float32)
    return field(1, *array.shape) + field(2, 1) + field(8, name) + field(9, array.tobytes())


def shaped(name: str, *shape: int) -> bytes:
    dims = b"".join(field(1, field(1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def onnx_of(layer: tuple[Any, Any], told: dict[str, Any] | None) -> bytes:
    """A model of one layer."""
    weights, biases = layer
    node = field(1, "seen", "weights", "biases") + field(2, "scores") + field(4, "Gemm")
    given, out = shaped("seen", 1, len(weights)), shaped("scores", 1, len(biases))
    graph = field(1, node) + field(2, "net") + field(11, given) + field(12, out)
    graph += field(5, tensor("weights", weights), tensor("biases", biases))
    model = field(1, 8) + field(7, graph) + field(8, field(2, 13))
    if told is not None:
        model += field(14, field(1, "arena") + field(2, json.dumps(told)))
    return model


# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_a_network_computes_what_numpy_does(activation: str) -> None:
    rng = np.random.default_rng(1)
    layers = small_network(rng, 9, 16, 5, 4)
    vector = (rng.random(9) * (rng.random(9) < 0.5)).astype(np.float32)
    expected: Any = vector
    for number, (weights, biases) in enumerate(layers):
        expected = expected @ weights + biases
        if number < 2:
            expected = np.tanh(expected) if activation == "tanh" else np.maximum(expected, 0)
    assert np.allclose(make_network(layers, activation)(vector), expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["npz", "onnx"])
def test_the_best_legal_action_is_chosen_or_one_is_drawn(tmp_path: Path, kind: str) -> None:
    layers = preferring([0.0, 1.0, 5.0, 0.0, 0.0, 4.0, 0.0, 9.0, 9.0])
    file = tmp_path / f"two.{kind}"
    if kind == "npz":
        write_policy(file, layers, FOUR, 2)
    else:
        pytest.importorskip("onnxruntime")
        file.write_bytes(onnx_of(layers[0], purpose_of(FOUR, 2)))
    view, legal = view_of(FOUR)
    assert seated(file).act(view, legal) == 2  # 7 and 8 are no columns of this board
    drawn = seated(file, temperature=1.0)
    found = [drawn.act(view, legal) for _ in range(400)]
    assert 0.6 < found.count(2) / 400 < 0.8
    assert 0.18 < found.count(5) / 400 < 0.34


def test_a_policy_plays_in_a_run_and_its_file_is_its_identity(tmp_path: Path) -> None:
    one = write_policy(tmp_path / "middle.npz", preferring(MIDDLE), FOUR, 2)
    two = write_policy(tmp_path / "left.npz", preferring(MIDDLE[::-1]), FOUR, 2)
    again = tmp_path / "copy.npz"
    again.write_bytes(one.read_bytes())
    specs = [parse_bot(f"policy:weights={file}") for file in (one, two, again)]
    assert specs[0].canonical == specs[2].canonical != specs[1].canonical
    run = arena.match(
        "connect_four",
        [f"policy:weights={one}", "random"],
        deals=5,
        workers=0,
        out=tmp_path / "run",
    )
    assert run.faults.empty
    assert run.standings["win_share"].iloc[0] > 0.6
    assert "isolation: sandbox" not in (tmp_path / "run" / "spec.yaml").read_text()  # trusted


def test_a_config_names_the_file_from_where_it_lies(tmp_path: Path) -> None:
    write_policy(tmp_path / "middle.npz", preferring(MIDDLE), FOUR, 2)
    config = tmp_path / "config.yaml"
    config.write_text(
        "name: trained\ngames: [{game: connect_four}]\ndeals: 2\n"
        "bots: [random, {bot: policy, weights: middle.npz, temperature: 0.5, name: trained}]\n"
    )
    run = arena.run(config, workers=0, out=tmp_path / "run")
    assert "trained" in run.standings.to_string()


def test_a_model_of_onnx_plays_in_the_worker(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    file = tmp_path / "middle.onnx"
    file.write_bytes(onnx_of(preferring(MIDDLE)[0], None))
    bots = [f"policy:weights={file}", "random"]
    run = arena.match("connect_four", bots, deals=3, workers=0, out=tmp_path / "run")
    assert run.faults.empty
    with pytest.raises(UserError, match=f"trained for {SIZE} inputs and 9 outputs, Karmaka has"):
        arena.match("karmaka", bots, deals=1, workers=0, out=tmp_path / "other")


# --- files that are no good: one line, exit 2 -------------------------------------------------------------


def refused(file: Path, capsys: pytest.CaptureFixture[str], game: str = "connect_four") -> str:
    """What the command line says of a policy."""
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(sys, "argv", ["arena", "match", game, f"policy:weights={file}", "greedy"])
    with monkeypatch.context(), pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def stored(file: Path, **changed: Any) -> Path:
    """A policy with some of its arrays changed, or left out."""
    with np.load(write_policy(file, preferring(MIDDLE), FOUR, 2)) as found:
        arrays = {**found, **changed}
    np.savez(file, **{name: value for name, value in arrays.items() if value is not None})
    return file


BAD = {
    "weights (88, 8) and biases (9,)": {"weights_0": np.zeros((88, 8))},
    "trained for 80 inputs": {"weights_0": np.zeros((80, 9))},
    "NaN or infinite": {"biases_0": np.full(9, np.nan)},
    "biases_0": {"biases_0": None},
    "not written by": {"told": np.array("[]")},
    "activation: 'gelu'": {
        "told": np.array(json.dumps({**purpose_of(FOUR, 2), "activation": "gelu", "layers": 1}))
    },
    "trained for observation": {
        "told": np.array(
            json.dumps(
                {**purpose_of(FOUR, 2), "observation": "old", "activation": "relu", "layers": 1}
            )
        )
    },
}


@pytest.mark.parametrize("said", BAD)
def test_a_file_that_is_no_good_is_told_in_a_line(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = refused(stored(tmp_path / "bad.npz", **BAD[said]), capsys)
    assert said in found
    assert "bad.npz" in found


def test_what_is_no_file_of_a_network_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no such file" in refused(tmp_path / "none.npz", capsys)
    (tmp_path / "text.npz").write_text("nothing")
    assert "text.npz', no file of NumPy arrays" in refused(tmp_path / "text.npz", capsys)
    pytest.importorskip("onnxruntime")
    (tmp_path / "text.onnx").write_text("nothing")
    assert "no model that onnxruntime can run" in refused(tmp_path / "text.onnx", capsys)
    file = tmp_path / "nan.onnx"
    file.write_bytes(onnx_of((np.zeros((SIZE, 9)), np.full(9, np.nan)), None))
    assert "expected finite scores" in refused(file, capsys)


def test_a_policy_plays_only_what_it_was_trained_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_policy(tmp_path / "four.npz", preferring(MIDDLE), FOUR, 2)
    assert "trained for connect_four with 2 players, not karmaka" in refused(
        file, capsys, "karmaka"
    )
    bot = parse_bot(f"policy:weights={file}").make()
    karmaka = load_game("karmaka")
    with pytest.raises(UserError, match="trained for connect_four with 2 players, not karmaka"):
        bot.reset(karmaka, view_of(karmaka)[0], 1)
    with pytest.raises(UserError, match="with variant default, not this one"):
        bot.reset(FOUR, view_of(FOUR, connect=5)[0], 1)


def test_what_does_not_fit_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="88 inputs and 3 outputs, Connect Four has 88 components"):
        write_policy(tmp_path / "a.npz", preferring([1.0, 2.0, 3.0]), FOUR, 2)
    with pytest.raises(UserError, match=r"layers\[1\]: weights \(5, 2\) and biases \(2,\)"):
        make_network([(np.zeros((3, 4)), np.zeros(4)), (np.zeros((5, 2)), np.zeros(2))])
    with pytest.raises(UserError, match="expected a file that ends with"):
        write_policy(tmp_path / "weights", preferring(MIDDLE), FOUR, 2)


def test_a_file_made_to_need_memory_is_refused(tmp_path: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 9), }"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n"
    file = stored(tmp_path / "big.npz")
    with zipfile.ZipFile(file, "a") as whole:
        whole.writestr("weights_1.npy", array)
    told = {**purpose_of(FOUR, 2), "activation": "relu", "layers": 2}
    with zipfile.ZipFile(file) as whole:
        parts = {name: whole.read(name) for name in whole.namelist() if name != "told.npy"}
    with zipfile.ZipFile(file, "w") as whole:
        for name, content in parts.items():
            whole.writestr(name, content)
        with whole.open("told.npy", "w") as stream:
            np.lib.format.write_array(stream, np.array(json.dumps(told)))
    with pytest.raises(UserError, match="not written by"):
        read_policy(file.read_bytes())


# --- the examples -----------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("example", "arguments"),
    [
        ("stable_baselines", lambda file: (256, file)),
        ("train_connect_four", lambda file: (file, 1, 1)),
    ],
)
def test_an_example_writes_a_policy(
    example: str, arguments: Any, tmp_path: Path, root: Path
) -> None:
    pytest.importorskip("torch")
    if example == "stable_baselines":
        pytest.importorskip("sb3_contrib")
    file = tmp_path / "learned.npz"
    runpy.run_path(str(root / "examples" / f"{example}.py"))["main"](*arguments(file))
    view, legal = view_of(FOUR)
    assert seated(file).act(view, legal) in legal


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_torch_module_plays_in_a_program_of_its_own(tmp_path: Path, root: Path) -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(SIZE, 9)
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.copy_(torch.tensor(MIDDLE))
    torch.jit.save(torch.jit.script(layer), tmp_path / "model.pt")
    command = f"{sys.executable} {root / 'examples' / 'torch_policy.py'} {tmp_path / 'model.pt'}"
    bots = [f'process:command="{command}"', "random"]
    run = arena.match("connect_four", bots, deals=2, workers=0, out=tmp_path / "run")
    assert run.faults.empty
