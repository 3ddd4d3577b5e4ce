"""Help of commands: examples, and options without names of types."""

import re
from functools import partial
from typing import Any, Final

_BREAK: Final = re.compile(r"(?<=\S)\n(?=\S)")


def examples(*lines: str, after: str = "") -> str:
    """Return the end of a command's help: its examples, and a paragraph after them."""
    paragraphs = ["Examples:" if len(lines) > 1 else "Example:", *lines]
    return "\n\n".join([*paragraphs, after] if after else paragraphs)


def tidy_help(command: Any, context: Any) -> None:
    """Change the help of a command and its subcommands: values as of `name_values`, and paragraphs without breaks."""
    name_values(command.get_params(context))
    # typer joins the lines of the first paragraph only; indented lines stay
    command.help = _BREAK.sub(" ", command.help or "")
    for each in getattr(command, "commands", {}).values():
        tidy_help(each, context)


def name_values(parameters: list[Any]) -> list[Any]:
    """Let the help show the value of an option as `NAME` or `N`, and nothing for a switch or an argument.

    Typer shows the Python type of those without a `metavar`, such as `<bool>` or `<int range>`. Choices stay.
    """
    for parameter in parameters:
        is_choice = parameter.type_descriptor.is_choice
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.metavar or parameter.name.upper()
            parameter.get_usage_pieces = partial(_usage, parameter)
            if not is_choice:
                parameter.display_type_rich = _show_nothing
        elif parameter.metavar is None and not is_choice:
            parameter.metavar = _value_name(parameter)
    return parameters


def _show_nothing(ctx: object) -> None:
    return None


def _usage(argument: Any, ctx: object) -> list[str]:
    name = argument.display_name_raw
    if argument.nargs != 1 and not name.endswith("..."):
        name += "..."
    return [name if argument.required else f"[{name}]"]


def _value_name(option: Any) -> str:
    if option.is_flag:
        return ""
    if option.min is not None or option.max is not None or option.type_descriptor.annotation is int:
        return "N"
    return str(option.name).rpartition("_")[2].upper()
