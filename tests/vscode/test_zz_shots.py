from tests.vscode.test_review import *  # noqa
from tests.vscode.test_review import settings, rehearse, key, diff, lens, asked

THEMES = {
    "light": "Default Light Modern",
    "dark": "Default Dark Modern",
    "hc": "Default High Contrast",
}


def test_shots(window, folder):
    branch = rehearse(window, IMPORT, HINGE, FEE)

    def shot(name):
        window.page.wait_for_timeout(2500)
        window.page.screenshot(path=f"/tmp/review/s-{name}.png")

    for name, theme in THEMES.items():
        window.run(
            "await vscode.workspace.getConfiguration('workbench').update('colorTheme', theme, vscode.ConfigurationTarget.Global)",
            theme=theme,
        )
        window.open("main.py")
        key(window, "n")
        expect(lens(diff(window), "Accept")).to_have_count(3)
        if name == "light":
            lens(diff(window), "Send Back").nth(2).click()
            expect(window.page.locator(".quick-input-widget input[type=text]")).to_be_focused()
            window.page.keyboard.type("take the invoice's own date")
            window.page.keyboard.press("Enter")
            expect(asked(window)).to_be_visible()
        shot(name + "-diff")
        key(window, "i")
        shot(name + "-place")
        window.page.keyboard.press("Control+Alt+u")
        window.page.keyboard.press("x")
    key(window, "n")
    window.page.wait_for_timeout(1000)
    key(window, "m")
    shot("multi")
