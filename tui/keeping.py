"""Between the dashboard and what is kept of it: restoring, collecting, resetting, and saying what was restored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.keys import first
from tui.saved import MOST_MARKS, Saved
from tui.state import FIT_WORDS, KIND_WORDS, MOST_WHERES, TERM_WORDS, TERMS

if TYPE_CHECKING:
    from tui.session import Session


def read_settings(session: Session) -> None:
    """The settings, before anything is shown: they name keys and currency. Mistakes in them are told later."""
    from models.errors import RackrateError
    from pricing.settings import Settings

    if session.settings is None:
        try:
            session.settings = Settings.load()
        except RackrateError as error:
            session.messages.append(str(error))
            session.settings = Settings()
    session.usual_currency = session.settings.currency
    session.messages += _wrong_workloads()


def _wrong_workloads() -> list[str]:
    """What is wrong with the user's own workloads, told at once: the list of them may not be opened for weeks."""
    from pricing import paths

    if not (paths.config_dir() / "workloads.toml").exists():
        return []
    from models.errors import RackrateError
    from tui import named

    try:
        return named.read()[1]
    except RackrateError as error:
        return [str(error)]


def restore(session: Session, saved: Saved) -> None:
    """Go on where the last time ended; the workload's names are looked up once the catalog is read."""
    session.view = saved.view
    session.kept_workload = saved.workload
    session.marks = list(saved.marks)
    session.wheres = list(saved.wheres)
    session.export_folder = saved.export_folder
    currency = saved.currency or session.usual_currency
    if currency and session.settings is not None:
        session.settings = replace(session.settings, currency=currency)


def collect(session: Session, theme: str | None) -> Saved:
    """What to keep of a session."""
    from tui.workload_table import to_table

    # Left before the prices were there: what was kept stays as it was.
    workload = to_table(session.workload) if session.comparison is not None else session.kept_workload
    currency = session.settings.currency if session.settings is not None else None
    return Saved(
        view=session.view,
        workload=workload,
        marks=session.marks[:MOST_MARKS],
        wheres=session.wheres[:MOST_WHERES],
        theme=theme,
        currency=None if currency == session.usual_currency else currency,
        export_folder=session.export_folder,
    )


def said(session: Session) -> str:
    """What was restored and hides or orders offers otherwise than usual; "" where nothing does."""
    from tui.session import usual_view

    view, usual = session.view, usual_view(session.workload)
    parts = []
    if view.where:
        parts.append(f"filter {view.where}")
    if view.kind != usual.kind:
        parts.append(f"only {KIND_WORDS[view.kind]} servers")
    if view.fit != usual.fit:
        parts.append(FIT_WORDS[view.fit])
    if view.terms != TERMS[0]:
        parts.append(f"terms {TERM_WORDS[view.terms]}")
    clears = f"{first('back')} clears the filter, " if parts else ""
    if (view.sort, view.descending) != (usual.sort, usual.descending):
        from tui.rows import describe_sort

        parts.append(f"order {describe_sort(view.sort, descending=view.descending, currency=session.options.currency)}")
    if view.columns or view.widths or view.unit != usual.unit:
        parts.append("columns")
    if session.marks:
        parts.append(f"{len(session.marks)} marked")
    if not parts:
        return ""
    return f"Restored: {', '.join(parts)}. {clears}{first('reset')} resets all."
