"""Python bots whose last words are made to be shown somewhere they do harm."""

from pathlib import Path


class Plays:
    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass


class Escapes(Plays):
    def act(self, view, legal):
        raise RuntimeError("\x1b[31m\x07\0\u202e" + "z" * 5000)


class Surrogate(Plays):
    def act(self, view, legal):
        class Odd(Exception):
            def __repr__(self):
                return "=cmd|\ud800\x1b[31m"

        raise Odd


class Returns(Plays):
    def act(self, view, legal):
        class Odd:
            def __repr__(self):
                return "\x9b31m\ud800\u2028"

        return Odd()


class UserErrors(Plays):
    def act(self, view, legal):
        from engines.errors import UserError

        raise UserError("two\nlines \x1b[31m" + str(Path.cwd().drive))
