"""A small stack of dense layers as a .tflite file, written with the schema that LiteRT itself brings."""

from __future__ import annotations

from collections.abc import Sequence

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from numpy.typing import NDArray

Array = NDArray[np.float32]
BUILTIN, ACTIVATION = schema.BuiltinOperator, schema.ActivationFunctionType
VERSION, FILE_ID = 3, b"TFL3"


class _Writer:
    """One subgraph; tensors and operators in the order in which they are added."""

    def __init__(self) -> None:
        self.tensors: list[object] = []
        self.buffers: list[object] = [schema.BufferT()]
        self.operators: list[object] = []
        self.codes: list[int] = []

    def tensor(self, name: str, shape: Sequence[int], values: Array | None = None) -> int:
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(shape), schema.TensorType.FLOAT32
        tensor.buffer = 0
        if values is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(values, np.float32).tobytes(), np.uint8)
            tensor.buffer = len(self.buffers)
            self.buffers.append(buffer)
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def operator(
        self, code: int, inputs: Sequence[int], output: int, kind: int = 0, options: object = None
    ) -> int:
        if code not in self.codes:
            self.codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = self.codes.index(code)
        operator.inputs, operator.outputs = list(inputs), [output]
        operator.builtinOptionsType, operator.builtinOptions = kind, options
        self.operators.append(operator)
        return output


def write_dense(
    mean: Array, spread: Array, limit: float, layers: Sequence[tuple[Array, Array]], straight: Array
) -> bytes:
    """The bytes of a network: (x - mean) / spread, cut off at ±limit, then layers of (weights (out, in),
    bias (out,)) with ReLU between, and `straight` (m, n) past them all. Input (1, n), output (1, m), all
    float32."""
    writer, width = _Writer(), len(mean)
    entry = writer.tensor("features", (1, width))
    slope, offset = 1.0 / (spread * limit), -mean / (spread * limit)
    scaled = _elementwise(writer, BUILTIN.MUL, entry, slope, "scale")
    moved = _elementwise(writer, BUILTIN.ADD, scaled, offset, "move")
    now = cut = writer.operator(BUILTIN.RELU_N1_TO_1, [moved], writer.tensor("cut", (1, width)))
    for number, (weights, bias) in enumerate(layers):
        inside = weights * limit if number == 0 else weights
        activation = ACTIVATION.NONE if number == len(layers) - 1 else ACTIVATION.RELU
        now = _dense(writer, now, inside, bias, f"layer_{number}", activation)
    past = _dense(writer, cut, straight * limit, np.zeros(len(straight), np.float32), "straight")
    output, kind = writer.tensor("forecast", (1, len(straight))), schema.BuiltinOptions.AddOptions
    writer.operator(BUILTIN.ADD, [now, past], output, kind, schema.AddOptionsT())
    return _packed(writer, entry, output)


def _dense(
    writer: _Writer, entry: int, weights: Array, bias: Array, name: str, activation: int = ACTIVATION.NONE
) -> int:
    options = schema.FullyConnectedOptionsT()
    options.fusedActivationFunction = activation
    inputs = [
        entry,
        writer.tensor(f"{name}_weights", weights.shape, weights),
        writer.tensor(f"{name}_bias", bias.shape, bias),
    ]
    output, kind = writer.tensor(name, (1, len(bias))), schema.BuiltinOptions.FullyConnectedOptions
    return writer.operator(BUILTIN.FULLY_CONNECTED, inputs, output, kind, options)


def _elementwise(writer: _Writer, code: int, entry: int, values: Array, name: str) -> int:
    multiplies = code == BUILTIN.MUL
    options = schema.MulOptionsT() if multiplies else schema.AddOptionsT()
    kind = schema.BuiltinOptions.MulOptions if multiplies else schema.BuiltinOptions.AddOptions
    constant = writer.tensor(f"{name}_by", (1, len(values)), values)
    return writer.operator(code, [entry, constant], writer.tensor(name, (1, len(values))), kind, options)


def _packed(writer: _Writer, entry: int, output: int) -> bytes:
    graph = schema.SubGraphT()
    graph.tensors, graph.operators, graph.name = writer.tensors, writer.operators, "forecast"
    graph.inputs, graph.outputs = [entry], [output]
    model = schema.ModelT()
    model.version, model.subgraphs, model.buffers = VERSION, [graph], writer.buffers
    model.description = "pitwall: the next seconds of the drive"
    model.operatorCodes = []
    for code in writer.codes:
        each = schema.OperatorCodeT()
        each.builtinCode, each.deprecatedBuiltinCode, each.version = code, min(code, 127), 1
        model.operatorCodes.append(each)
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), file_identifier=FILE_ID)
    return bytes(builder.Output())
