"""The page for people: the tour, tooltips, and the keyboard alone."""

import json

from studio import PAGE

#: The controls in sight that say nothing of what they do.
SILENT = """JSON.stringify([...document.querySelectorAll('button, input, select, a[href], [tabindex="0"]')]
  .filter((one) => one.checkVisibility())
  .filter((one) => !['title', 'aria-description', 'data-tip'].some((name) => one.getAttribute(name)?.trim()))
  .map((one) => one.outerHTML.slice(0, 160)))"""

FOCUS = "(document.activeElement.id || document.activeElement.dataset.column || document.activeElement.textContent)"
TIP = "(document.getElementById('what').hidden ? '' : document.getElementById('what').textContent)"
TOUR = "(document.getElementById('tour').hidden ? '' : document.getElementById('tour').textContent)"


def tab_to(page, wanted, back=False, most=60):
    """Presses Tab until something has the focus; says where it went instead."""
    been = []
    for _ in range(most):
        page.key("Tab", **({"modifiers": 8} if back else {}))
        been.append(page.do(FOCUS))
        if been[-1] == wanted:
            return
    raise AssertionError(f"Tab does not lead to {wanted}, but to {been}")


class Access:
    """Mixed into a case with `studio`, `visit` (a page that was opened, nothing more) and `open`."""

    def test_the_tour_comes_once(self):
        studio = self.studio()
        page = self.visit(studio)
        page.wait(f"{TOUR}.includes('1 of 3')")
        # Enter goes on, since Next has the focus.
        page.key("Enter")
        page.wait(f"{TOUR}.includes('2 of 3')")
        page.do("[...document.querySelectorAll('#tour button')].find(b => b.textContent === 'Back').click()")
        page.wait(f"{TOUR}.includes('1 of 3')")
        page.key("Enter")
        page.key("Enter")
        page.wait(f"{TOUR}.includes('3 of 3')")
        page.key("Enter")
        page.wait(f"{TOUR} === ''")
        self.reload(page, studio)
        self.assertEqual(page.do(TOUR), "")
        # Help has it again, and Esc ends it.
        page.key("?")
        page.do("document.getElementById('open-tour').click()")
        page.wait(f"{TOUR}.includes('1 of 3')")
        page.key("Escape")
        page.wait(f"{TOUR} === ''")

    def test_the_tour_can_be_skipped(self):
        studio = self.studio()
        page = self.visit(studio)
        page.wait(f"{TOUR}.includes('1 of 3')")
        page.do("[...document.querySelectorAll('#tour button')].find(b => b.textContent === 'Skip').click()")
        page.wait(f"{TOUR} === ''")
        self.reload(page, studio)
        self.assertEqual(page.do(TOUR), "")
        # Who has said something already needs no tour, whatever the browser remembers.
        page.do("localStorage.clear()")
        source, target = json.loads(page.do(self.truth()))[7]
        page.do(f"{PAGE}.stage.anchor({source}, {target})")
        page.wait(f"{PAGE}.model.anchored[0].size === 1")
        self.reload(page, studio)
        self.assertEqual(page.do(TOUR), "")
        self.assertEqual(page.faults, [])

    def test_every_control_says_what_it_does(self):
        page = self.visit(self.studio())
        page.wait(f"{TOUR}.includes('1 of 3')")
        self.assertEqual(json.loads(page.do(SILENT)), [])
        page.key("Escape")
        for name in ("settings", "export", "help"):
            page.do(f"document.getElementById('open-{name}').click()")
            page.wait(f"document.getElementById('{name}').open")
            self.assertEqual(json.loads(page.do(SILENT)), [])
            page.key("Escape")
        page.do(f"{PAGE}.model.show({{ side: 0, node: 5 }})")
        page.wait("document.querySelector('#detail .others button')")
        self.assertEqual(json.loads(page.do(SILENT)), [])
        page.key("/")
        page.call("Input.insertText", text="1")
        page.wait("document.querySelector('#found button')")
        self.assertEqual(json.loads(page.do(SILENT)), [])
        page.key("Escape")
        page.key("q")
        page.wait("document.querySelector('[data-key=y]')")
        self.assertEqual(json.loads(page.do(SILENT)), [])

    def test_tooltips_come_to_pointer_and_keyboard(self):
        page = self.open(self.studio())
        tab_to(page, "lines")
        page.wait(f"{TIP}.includes('match lines')")
        self.assertFalse(page.do(self.overlap("what", "lines")))
        page.key("Tab")
        page.wait(f"{TIP}.includes('together')")
        page.key("Escape")
        page.wait(f"{TIP} === ''")
        box = "document.getElementById('fit').getBoundingClientRect()"
        x, y = page.do(f"[{box}.left + 8, {box}.top + 8]")
        page.mouse("mouseMoved", x, y)
        page.wait(f"{TIP}.includes('Everything in sight')")
        # What the browser itself would show is gone, and a reader is told all the same.
        self.assertEqual(page.do("document.getElementById('fit').getAttribute('aria-description')"), "Everything in sight (0)")
        self.assertFalse(page.do("document.getElementById('fit').hasAttribute('title')"))
        page.mouse("mouseMoved", x, y + 300)
        page.wait(f"{TIP} === ''")
        self.assertEqual(page.faults, [])

    def test_keyboard_for_everything(self):
        page = self.visit(self.studio())
        page.wait(f"{TOUR}.includes('1 of 3')")
        page.key("Escape")
        model = f"{PAGE}.model"
        # Anchors: pane, node, pane, node. Then undo, redo, forget.
        tab_to(page, "pad-source")
        page.key("ArrowRight")
        page.key("Enter")
        page.wait(f"{model}.pending?.side === 0")
        page.key("Tab")
        page.key("ArrowLeft")
        page.key("Enter")
        page.wait(f"{model}.anchored[0].size === 1")
        page.key("z", modifiers=2)
        page.wait(f"{model}.anchored[0].size === 0")
        page.key("y", modifiers=2)
        page.wait(f"{model}.anchored[0].size === 1")
        page.key("Delete")
        page.wait(f"{model}.anchored[0].size === 0")
        # The view: move, zoom, everything; lines; together or apart.
        view = f"JSON.stringify({PAGE}.stage.cameras.map(c => c.relative))"
        whole = page.do(view)
        page.key("ArrowRight", modifiers=8)
        page.wait(f"{PAGE}.stage.cameras.every(c => c.relative.x < 0)")
        page.key("+")
        page.wait(f"{PAGE}.stage.cameras[0].relative.zoom > 1")
        page.key("-")
        page.key("0")
        page.wait(f"{view} === {json.dumps(whole)}")
        page.key("t")
        page.key("ArrowRight", modifiers=8)
        page.wait(f"{PAGE}.stage.cameras[1].relative.x < 0 && {PAGE}.stage.cameras[0].relative.x === 0")
        page.key("t")
        page.key("0")
        page.key("l")
        page.wait(f"{model}.lines === 'all'")
        # Search: type, down, Enter.
        page.key("/")
        page.call("Input.insertText", text="1")
        page.wait("document.querySelectorAll('#found button').length > 1")
        page.key("ArrowDown")
        page.key("ArrowDown")
        name = page.do("document.activeElement.querySelector('.whole').textContent")
        page.key("Enter")
        page.wait(f"{model}.shown && {model}.name({model}.shown.side, {model}.shown.node) === {json.dumps(name)}")
        # What is shown: an anchor, no partners, no partner.
        page.key("a")
        page.wait(f"{model}.anchored[0].size === 1")
        page.key("d")
        page.wait(f"{model}.state.rejected.length === 1 && {model}.anchored[0].size === 0")
        page.key("x")
        page.wait(f"{model}.alone[0].size + {model}.alone[1].size === 1")
        # The table: sorted, filtered, gone through.
        tab_to(page, "standing")
        page.key("Enter")
        page.wait("document.querySelector('[data-column=standing]').parentElement.getAttribute('aria-sort') === 'ascending'")
        page.key("Tab")
        page.key("ArrowDown")
        page.wait(f"{model}.shown !== null && document.querySelector('.row.chosen')")
        tab_to(page, "filter", back=True)
        page.call("Input.insertText", text="1")
        rows = "parseInt(document.getElementById('rows-count').textContent)"
        page.wait(f"{rows} > 0 && {rows} < {model}.graphs[0].nodes")
        # Settings: open, another preset, close; then export, dark and light, help.
        tab_to(page, "open-settings")
        page.key("Enter")
        page.wait("document.getElementById('settings').open")
        page.key("ArrowDown")
        page.wait(f"{model}.state.choices.preset === 'fast'")
        page.key("Escape")
        page.wait("!document.getElementById('settings').open")
        self.assertEqual(page.do(FOCUS), "open-settings")
        tab_to(page, "open-export", most=1)
        page.key("Enter")
        page.wait("document.getElementById('export').open && document.activeElement.download === 'pairs.csv'")
        page.key("Escape")
        theme = page.do("document.documentElement.dataset.theme")
        tab_to(page, "theme")
        page.key("Enter")
        page.wait(f"document.documentElement.dataset.theme !== {json.dumps(theme)}")
        page.key("?")
        page.wait("document.getElementById('help').open")
        page.key("Escape")
        # Questions, and back to the pairs by arrows.
        page.key("q")
        page.wait("document.querySelector('[data-key=y]')")
        asked = page.do(f"{model}.state.asked")
        page.key("u")
        page.wait(f"{model}.state.asked === {asked + 1}")
        tab_to(page, "Questions")
        page.key("ArrowLeft")
        page.wait("!document.getElementById('panel-pairs').hidden")
        self.assertEqual(page.faults, [])
