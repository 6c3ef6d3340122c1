"""A bot in ten lines: of the legal actions, one after which a sampled position looks best."""


class TenLines:
    def reset(self, game, view, seed):
        self.seed = seed

    def act(self, view, legal):
        self.seed += 1
        return max(legal, key=lambda a: view.sample(self.seed).play(a).evaluate(view.player))

    def close(self):
        pass
