"""Networks in ONNX files, run by onnxruntime: needs the extra `onnx`."""

import importlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.networks import Purpose, read_purpose
from engines.errors import UserError
from engines.texts import clean

TOLD = "arena"  # the entry of the model's metadata that holds `networks.purpose_of` as JSON
HINT = "pip install 'tabletop-arena[onnx]'"


class OnnxModel:
    """One network: float32 [1, inputs] in, scores float32 [1, outputs] out.

    Args:
        content: of the file.

    Raises:
        UserError: the file is no such model; or onnxruntime is missing.
    """

    def __init__(self, content: bytes) -> None:
        """Load the model, and run it once to see what it returns."""
        try:
            onnxruntime: Any = importlib.import_module("onnxruntime")  # an extra, and slow to load
        except ImportError:
            raise UserError(f"needs onnxruntime: {HINT}") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self.session = onnxruntime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
            given = self.session.get_inputs()
            told = self.session.get_modelmeta().custom_metadata_map.get(TOLD)
            shapes = [list(one.shape) for one in given]
            if len(given) != 1 or len(shapes[0]) != 2 or not isinstance(shapes[0][1], int):
                raise ValueError(f"inputs {shapes}, expected one of [1, components]")
            self.name = given[0].name
            inputs = int(shapes[0][1])
            scores = self.run(np.zeros((1, inputs), np.float32))
            if scores.ndim != 2 or len(scores) != 1 or not np.isfinite(scores).all():
                raise ValueError(f"it returns {scores.shape}, expected finite scores [1, actions]")
            self.purpose: Purpose = read_purpose(
                json.loads(told) if told else None, inputs, scores.shape[1]
            )
        except Exception as error:  # a file from anywhere can fail to be read in any way
            reason = clean(" ".join(str(error).split()), 200)
            raise UserError(f"no model that onnxruntime can run: {reason}") from None

    def run(self, vectors: NDArray[np.float32]) -> NDArray[Any]:
        """The scores [1, outputs] of vectors [1, inputs]."""
        return np.asarray(self.session.run(None, {self.name: vectors})[0])
