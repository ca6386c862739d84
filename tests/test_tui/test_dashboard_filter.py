"""The filter line: live, told when wrong, kept and cleared by one key."""

from __future__ import annotations


async def test_filter_acts_while_typing_and_enter_keeps_it(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("h100")
        assert set(app.servers()) == {"h100-big", "h100-x8"}
        await app.press("enter")
        assert app.app.focused is app.table
        assert "/h100" in app.line("filter-line")
        assert "esc clears" in app.line("filter-line")
        await app.press("escape")
        assert len(app.servers()) > 2
        assert "esc clears" not in app.line("filter-line")


async def test_a_bad_term_is_named_and_the_table_stays(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("slash")
        await app.type("h100 ")
        before = app.servers()
        await app.type("gpus>=x")
        assert app.servers() == before or set(app.servers()) <= set(before)
        assert "gpus>=x" in app.session.where_error
        assert any("gpus>=x" in line and "!" in line for line in app.screen_text())
        assert app.dashboard.query_one("#filter").has_class("-invalid-value")
        await app.press("enter")
        assert app.dashboard.filtering  # a wrong filter is not left silently
        await app.press("escape")
        assert not app.dashboard.filtering


async def test_escape_clears_type_and_fit_too(dashboard):
    async with dashboard() as app:
        await app.press("t", "f")
        assert app.session.view.filtered
        await app.press("escape")
        assert not app.session.view.filtered


async def test_chips_can_be_clicked(dashboard):
    async with dashboard() as app:
        line = app.dashboard.line("filter-line")
        x = next(x for x, part, _ in line.placed if part.action == "cycle_kind")
        await app.pilot.click("#filter-line", offset=(x + 2, 0))
        await app.settle()
        assert app.session.view.kind == "gpu"


async def test_footer_keys_can_be_clicked(dashboard):
    async with dashboard() as app:
        line = app.dashboard.line("keys")
        x = next(x for x, part, _ in line.placed if part.action == "cycle_fit")
        await app.pilot.click("#keys", offset=(x + 2, 0))
        await app.settle()
        assert app.session.view.fit == "fits"


async def test_filter_opens_with_what_is_set(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("acme")
        await app.press("enter", "slash")
        assert app.dashboard.query_one("#filter").value == "acme"


async def test_a_wrong_name_lists_what_exists_on_eighty_columns(dashboard):
    async with dashboard((80, 24)) as app:
        await app.press("slash")
        await app.type("horses > 5")
        text = " ".join(line.strip() for line in app.screen_text())
        assert "no field 'horses'" in text
        assert "provider:" in text
        assert "rps age." in text


async def test_spaces_and_headings_filter_the_table(dashboard):
    async with dashboard() as app:
        await app.press("slash")
        await app.type("gpu > 24 n <= 1")
        assert app.servers()
        assert all(app.session.rows.offer(int(i)).vram_gib_per_gpu > 24 for i in app.session.rows.order)
