"""The group of all commands, with the one line each is known by."""

from __future__ import annotations

from importlib import import_module

import click

from shoal.version import __version__

COMMANDS = {
    "example": "write a small made-up data set with its recipe",
    "init": "look at data and write a recipe with suggestions",
    "plan": "show what a recipe would do; touches nothing",
    "studio": "a page on this computer that leads to a signed release",
    "run": "make, verify and publish a release",
    "sign": "write beside a release who answers for it",
    "verify": "check a published file, of this tool or another",
    "attack": "simulated attacks on a release, beside what is promised",
    "risk": "the risk of the data as it is today",
    "measure": "the k, l and t that anyone's table attains",
    "frontier": "what each k costs, before one is chosen",
    "compare": "methods side by side on the same data",
    "report": "write the report of a release again",
    "hierarchy": "make, check, convert and show hierarchies",
    "prepare": "compile ahead of time, for an image or a server",
    "methods": "list the methods",
    "guarantees": "list the guarantees",
    "losses": "list the losses",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"shoal.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from shoal.errors import did_you_mean

            ctx.fail(
                f"There is no command '{args[0]}'. Commands: {', '.join(COMMANDS)}.{did_you_mean(args[0], COMMANDS)}"
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    no_args_is_help=True,
)
@click.option("--version", is_flag=True, help="Show the version and exit; with --json also what is installed.")
@click.option("--json", "as_json", is_flag=True, help="With --version: print one JSON object on stdout.")
@click.pass_context
def shoal(ctx: click.Context, version: bool, as_json: bool) -> None:
    """Publish data about people so that nobody in it can be picked out, and prove it.

    Exit codes: 0 done; 1 the answer is no; 2 a mistake in the recipe or the call; 3 the data is at fault; 4 a bug in shoal.
    """
    from shoal.cli.output import echo, emit

    if version and as_json:
        from shoal.cli.terminal.installed import installed

        emit(installed())
    elif version:
        echo(f"shoal, version {__version__}")
    elif as_json:
        ctx.fail("`--json` goes behind a command, such as `shoal run recipe.toml --json`, or behind `--version`.")
    if version:
        ctx.exit()
