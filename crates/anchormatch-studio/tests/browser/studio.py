"""The `anchormatch studio` command as a child process, and graphs to open it on."""

import os
import random
import signal
import subprocess

#: What the page offers to tests.
PAGE = "window.anchormatchStudio"

#: The match of the last change is there, and the view rests.
READY = f"{PAGE} && {PAGE}.model.isCurrent && !{PAGE}.stage.isGliding"

#: Milliseconds of frames while the view moves, and how many nodes the last of them drew.
FRAMES = f"""new Promise((done) => {{
  const stage = {PAGE}.stage;
  stage.fit();
  const times = [];
  let last = 0;
  const step = (time) => {{
    if (last) times.push(time - last);
    last = time;
    if (times.length === 20) {{
      window.drawnWhileMoving = stage.drawn;
      return done(JSON.stringify(times));
    }}
    stage.zoom(times.length % 2 ? 1.1 : 1 / 1.1);
    requestAnimationFrame(step);
  }};
  requestAnimationFrame(step);
}})"""


class Studio:
    """A running studio; `url` is the address that it printed."""

    def __init__(self, command, folder, *arguments):
        self.process = subprocess.Popen(
            [*command, "studio", "--no-open", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(self.process.stderr.read())

    def kill(self):
        """Without any warning."""
        self.end(signal.SIGKILL)

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def write_pair(folder, nodes, seed=1, names=lambda side, k: f"{side}{k}", kept=0.95, anchors=0):
    """Two noisy copies of a random geometric graph; the true partner of source k is the returned list's k-th."""
    draw = random.Random(seed)
    side = max(1, int((nodes / 4) ** 0.5))
    places = [(draw.random(), draw.random()) for _ in range(nodes)]
    cells = {}
    for k, (x, y) in enumerate(places):
        cells.setdefault((int(x * side), int(y * side)), []).append(k)
    edges = set()
    for k, (x, y) in enumerate(places):
        near = [
            other
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for other in cells.get((int(x * side) + dx, int(y * side) + dy), ())
            if other != k
        ]
        near.sort(key=lambda other: (places[other][0] - x) ** 2 + (places[other][1] - y) ** 2)
        edges.update((min(k, other), max(k, other)) for other in near[:4])
    partner = list(range(nodes))
    draw.shuffle(partner)
    for name, letter, number in (("a", "s", lambda k: k), ("b", "t", lambda k: partner[k])):
        with open(os.path.join(folder, f"{name}.csv"), "w") as file:
            file.write("source,target\n")
            for u, v in sorted(edges):
                if draw.random() < kept:
                    ends = (quoted(names(letter, number(w))) for w in (u, v))
                    file.write(",".join(ends) + "\n")
    if anchors:
        with open(os.path.join(folder, "anchors.csv"), "w") as file:
            file.write("source,target\n")
            for k in draw.sample(range(nodes), anchors):
                file.write(f"{quoted(names('s', k))},{quoted(names('t', partner[k]))}\n")
    return partner


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def write_hub(folder, neighbours):
    """A star and its copy, whose leaves have a path among them; the ends of the path and the middle are anchors."""
    edges = [(0, k) for k in range(1, neighbours + 1)] + [(k, k + 1) for k in range(1, neighbours)]
    for name, side in (("a.csv", "s"), ("b.csv", "t")):
        rows = "".join(f"{side}{u},{side}{v}\n" for u, v in edges)
        with open(os.path.join(folder, name), "w") as file:
            file.write(f"source,target\n{rows}")
    with open(os.path.join(folder, "anchors.csv"), "w") as file:
        file.write("source,target\n" + "".join(f"s{k},t{k}\n" for k in (0, 1, neighbours)))
