"""The flags of `rackrate advise box`: companions of the LLM, a corpus, calls, a batch job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.cli.flags import filled, positive_number, whole_number

if TYPE_CHECKING:
    from tui.cli.advise_flags import Group


def add(group: Group) -> None:
    """Without any of them: a usual embedding model and reranker beside the LLM."""
    group.add_argument(
        "--embed",
        type=filled,
        metavar="MODEL",
        help="embedding model on the same server, or none (default bge-m3)",
    )
    group.add_argument(
        "--rerank",
        type=filled,
        metavar="MODEL",
        help="reranker on the same server, or none (default bge-reranker-v2-m3)",
    )
    group.add_argument(
        "--embed-on", choices=("gpu", "cpu"), help="where both run on a GPU server: its cards or its host (default gpu)"
    )
    group.add_argument("--query-tokens", type=whole_number, metavar="N", help="tokens of a question (default 32)")
    group.add_argument("--passages", type=whole_number, metavar="K", help="passages reranked a request (default 20)")
    group.add_argument(
        "--passage-tokens", type=whole_number, metavar="N", help="tokens of a passage with its question (default 512)"
    )
    group.add_argument("--documents", type=whole_number, metavar="N", help="documents of the corpus to embed")
    group.add_argument("--document-tokens", type=whole_number, metavar="N", help="tokens of each (default 512)")
    group.add_argument("--per-day", type=whole_number, metavar="N", help="documents that come or change each day")
    group.add_argument("--calls", type=whole_number, metavar="N", help="voice calls at once")
    group.add_argument("--turns", type=positive_number, metavar="X", help="answers a minute of a call (default 6)")
    group.add_argument("--requests", type=whole_number, metavar="N", help="a batch job of so many requests")
    group.add_argument(
        "--deadline",
        type=positive_number,
        metavar="HOURS",
        help="hours that the job (default 8) or the corpus may take",
    )
    group.add_argument(
        "--box",
        type=filled,
        metavar="SERVER",
        help="look at this server: its name, hardware (2x L4), or words of seller, name and hardware",
    )
