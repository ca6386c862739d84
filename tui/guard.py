"""Parts of the screen whose mistakes are told, and do not end the program.

Textual ends the message loop of whatever raised, and then the program. These keep the loop, so that the next key works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.message_pump import MessagePump
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.message import Message

NOT_SHOWN = "! this part could not be shown"


class Guarded(MessagePump):
    """Whatever takes messages: a handler that raises is reported, the messages after it are taken."""

    async def _dispatch_message(self, message: Message) -> None:
        if isinstance(message, events.Compose | events.Mount):
            await super()._dispatch_message(message)  # half a widget cannot go on: see _pre_process
            return
        try:
            await super()._dispatch_message(message)
        except Exception as error:  # noqa: BLE001 - that is what it is for
            self.app._handle_exception(error)  # noqa: SLF001 - Textual's one way in for errors

    async def _pre_process(self) -> bool:
        fine = await super()._pre_process()
        if not fine and (half_made := getattr(self.app, "half_made", None)) is not None:
            half_made(self)
        return fine


class Painted(Guarded):
    """Comes before Widget among the bases of a widget that paints its own lines: what cannot be painted is said in its place.

    It is no widget itself: Textual takes the styles of the first base that is one.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """The widget's lines, or a line that says that they are missing."""
        try:
            strips: list[Strip] = super().render_lines(crop)  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - same
            self.app._handle_exception(error)  # noqa: SLF001 - same
            strips = [Strip.blank(crop.width)] * crop.height
            if crop.y == 0 and strips:
                strips[0] = Strip([Segment(NOT_SHOWN)]).adjust_cell_length(crop.width)
        return strips
