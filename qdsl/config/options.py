"""QConfig: what can be chosen about a quantization, with defaults that suit real models.

The options that relay.quantize had keep their names; `QConfig.relay()` gives its defaults. An option that nobody set
leaves the schemes of the rule files as they are written: `QConfig.chosen` names those that were set.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from qdsl.config.consistency import contradiction, idle_options
from qdsl.config.messages import refuse_unknown, sentence
from qdsl.config.values import as_operator_names, as_tuple
from qdsl.errors import ConfigError

CalibrateMode = Literal["minmax", "percentile", "mse", "entropy", "kl_divergence", "global_scale"]
InputDType = Literal["uint8", "int8", "uint4", "int4", "uint16", "int16"]
WeightDType = Literal["int8", "int4", "int16"]

Bits = Annotated[int, Field(ge=2, le=16)]
Index = Annotated[int, Field(ge=0)]
Indices = Annotated[tuple[Index, ...], BeforeValidator(as_tuple)]
Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(as_tuple)]
OperatorNames = Annotated[tuple[str, ...] | None, BeforeValidator(as_operator_names)]


def option(default: Any, meaning: str, valid: str, relay: str = "") -> Any:
    """A field with what `qdsl config` prints of it: meaning, valid values, and what became of Relay's option."""
    return Field(default, description=meaning, json_schema_extra={"valid": valid, "relay": relay})


class QConfig(BaseModel):
    """All options of a quantization; immutable. Raises ConfigError for an unknown option or a bad value."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    # ---- number formats
    nbit_input: Bits = option(
        8,
        "bits of what an operator reads: of every 8-bit activation scheme in the rules",
        "2 to 16, no more than dtype_input holds",
        "same; now checked against the dtype",
    )
    nbit_weight: Bits = option(
        8,
        "bits of constant weights; biases keep the accumulator's width",
        "2 to 16, no more than dtype_weight holds",
        "same, but no longer applied to biases",
    )
    nbit_activation: Annotated[int, Field(ge=16, le=32)] = option(
        32,
        "bits of accumulators: the headroom that biases and sums on an accumulator must fit into",
        "16 to 32, no fewer than nbit_input + nbit_weight",
        "same; headroom is now checked",
    )
    dtype_input: InputDType = option(
        "uint8",
        "storage type of what an operator reads",
        "uint8, int8, uint4, int4, uint16, int16",
        "was int8; uint8 was accepted and wrapped",
    )
    dtype_weight: WeightDType = option(
        "int8",
        "storage type of weights; signed, so that they need no zero point",
        "int8, int4, int16",
        "same",
    )
    dtype_activation: Literal["int32"] = option(
        "int32",
        "storage type of accumulators; kernels accumulate in nothing else, so any other is refused",
        "int32",
        "same; other types overflowed without a word",
    )
    per_channel: bool = option(
        True,
        "one scale for each output channel of a weight; false: one for the whole tensor",
        "true, false",
        "new; Relay had per-tensor scales only",
    )
    asymmetric: bool = option(
        True,
        "activations have a zero point, so a range need not be centred on 0",
        "true, false",
        "new; Relay had symmetric ranges only",
    )

    # ---- ranges
    calibrate_mode: CalibrateMode = option(
        "minmax",
        "how an activation's range follows from the samples (entropy and kl_divergence are one method)",
        "minmax, percentile, mse, entropy, kl_divergence, global_scale",
        "was global_scale; a bad value was found only after annotate",
    )
    percentile: Annotated[float, Field(gt=50.0, le=100.0)] = option(
        99.99,
        "share of the values, in percent, that a range covers in mode percentile",
        "above 50, up to 100",
        "was fixed at 99.999",
    )
    global_scale: Annotated[float, Field(gt=0.0, le=1e18)] = option(
        8.0,
        "the threshold of every activation in mode global_scale; other modes do not look at it",
        "above 0, up to 1e18",
        "same; it leaked into other modes",
    )
    weight_scale: Literal["max", "power2"] = option(
        "max",
        "threshold of a constant: its largest magnitude, or the next power of two above it",
        "max, power2",
        "was power2; a zero tensor got scale 0, now it gets a floor",
    )
    calibrate_chunk_by: Annotated[int, Field(ge=-1)] = option(
        -1,
        "how many tensors are observed in one pass over the samples; fewer need less memory",
        "-1 (all of them), or 1 and more",
        "same; a one-shot generator is now kept for the next pass",
    )

    # ---- which operators
    skip_conv_layers: Indices = option(
        (),
        "convolutions left in float, by their index in the model's order",
        "a list of indices from 0",
        "was [0]; older name skip_k_conv",
    )
    skip_dense_layer: bool = option(
        False,
        "leave matmul and dense in float",
        "true, false",
        "was true",
    )
    skip: Names = option(
        (),
        "operators left in float: patterns on their names or kinds, such as stem/* or nn.conv2d_transpose",
        "a list of patterns; one that matches nothing is an error",
        "new",
    )
    debug_enabled_ops: OperatorNames = option(
        None,
        "only the rules of these operators run",
        "none, or a list of Relax operators (see qdsl ops)",
        "same; unknown names were accepted",
    )
    only: Names = option((), "only these rules fire", "a list of rule names", "new")
    without: Names = option((), "these rules do not fire", "a list of rule names", "new")
    fold_batch_norm: bool = option(
        True,
        "run the fold rules, which move batch norms and scales into the convolution before them",
        "true, false",
        "new; Relay always folded, and folded too much",
    )

    # ---- integer arithmetic
    requantize: Literal["float", "fixed"] = option(
        "float",
        "how an accumulator is brought to 8 bits: float32 multiply, or a Q31 fixed-point multiply and shift",
        "float, fixed",
        "new; Relay had fixed point only",
    )
    rounding: Literal["UPWARD", "TONEAREST"] = option(
        "UPWARD",
        "halves in the fixed-point multiply: towards plus infinity, or away from zero",
        "UPWARD, TONEAREST (with requantize = fixed)",
        "same; any other word meant TONEAREST",
    )
    round_for_shift: bool = option(
        True,
        "add half before the right shift of a power-of-two ratio; false truncates",
        "true, false (with requantize = fixed)",
        "same",
    )
    store_lowbit_output: bool = option(
        False,
        "narrow a value to dtype_input before it leaves the integer region; false dequantizes the accumulator exactly",
        "true, false",
        "was true in older versions; later ignored without a word",
    )

    # ---- stages
    do_simulation: bool = option(
        False,
        "stop before realize: the result computes in float with simulated rounding",
        "true, false",
        "same",
    )
    partition_conversions: Literal["disabled", "enabled", "fully_integral"] = option(
        "disabled",
        "split into quantize-inputs, integer main and dequantize-outputs; fully_integral refuses float in main",
        "disabled, enabled, fully_integral",
        "same; fully_integral failed on an assertion",
    )

    @model_validator(mode="wrap")
    @classmethod
    def _in_words(cls, data: Any, handler: ModelWrapValidatorHandler[QConfig]) -> QConfig:
        if isinstance(data, dict):
            refuse_unknown(data, tuple(cls.model_fields))
        try:
            config = handler(data)
        except ValidationError as error:
            raise ConfigError(sentence(error, cls.model_fields)) from None
        if reason := contradiction(config):
            raise ConfigError(reason)
        return config

    def __setattr__(self, name: str, value: Any) -> None:
        raise ConfigError(f"a QConfig does not change: use config.replace({name}={value!r})")

    @property
    def chosen(self) -> frozenset[str]:
        """The options that were set, rather than left at their default."""
        return frozenset(self.model_fields_set)

    def replace(self, **changes: Any) -> QConfig:
        """This configuration with some options changed, validated like a new one."""
        return QConfig(**{name: getattr(self, name) for name in self.model_fields_set} | changes)

    def warnings(self) -> list[str]:
        """A sentence for each option that was set and has no effect beside the others."""
        return idle_options(self)

    @classmethod
    def relay(cls, **changes: Any) -> QConfig:
        """The defaults of relay.quantize (TVM 0.16), with `changes` on top."""
        defaults: dict[str, Any] = {
            "dtype_input": "int8",
            "per_channel": False,
            "asymmetric": False,
            "calibrate_mode": "global_scale",
            "weight_scale": "power2",
            "skip_conv_layers": (0,),
            "skip_dense_layer": True,
            "requantize": "fixed",
            "store_lowbit_output": True,
        }
        if changes.get("calibrate_mode") == "percentile":
            defaults["percentile"] = 99.999
        return cls(**defaults | changes)
