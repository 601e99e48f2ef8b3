"""How far long work is (UX-07): a bar below the lines on a terminal, the lines alone elsewhere."""

import concurrent.futures
import shutil
import sys
import time

WIDTH = 24


class Bar:
    """What `name` has done of `total` pieces of work, on standard error. Gone when it is left, however that comes."""

    def __init__(self, name, total):
        self.name, self.total, self.done, self.began = name, total, 0, time.monotonic()
        self.shown = sys.stderr.isatty()

    def __enter__(self):
        self.draw()
        return self

    def __exit__(self, *_):
        self.write("")

    def write(self, text):
        """Puts text in the place of the bar."""
        if self.shown:
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()

    def draw(self):
        """Shows it as it is now."""
        seconds = int(time.monotonic() - self.began)
        full = WIDTH * self.done // max(1, self.total)
        bar = f"{self.name} [{'=' * full}{' ' * (WIDTH - full)}] {self.done}/{self.total}, {seconds // 60}:{seconds % 60:02} min"
        self.write(bar[: shutil.get_terminal_size().columns - 1])

    def step(self, sentence=None):
        """One more piece is done, of which a sentence is a line."""
        self.done += 1
        if sentence:
            self.write("")
            print(f"{self.name}: {sentence} ({self.done}/{self.total})", file=sys.stderr, flush=True)
        self.draw()


def each(name, items):
    """The items of a list, one after the other; each is done when the next is asked for."""
    with Bar(name, len(items)) as bar:
        for item in items:
            yield item
            bar.step()


def gather(name, pool, tasks, sentence, stop):
    """What `tasks` of `pool` bring, in the order in which they end; `sentence` is asked for a line about each as it comes. When that fails, or Ctrl-C comes, no other task begins and `stop` ends
    what those that run have started."""
    rows = []
    with Bar(name, len(tasks)) as bar:
        try:
            waiting = set(tasks)
            while waiting:
                ended, waiting = concurrent.futures.wait(waiting, timeout=1 if bar.shown else None, return_when=concurrent.futures.FIRST_COMPLETED)
                for task in ended:
                    rows.append(task.result())
                    bar.step(sentence(rows[-1]))
                bar.draw()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
    return rows
