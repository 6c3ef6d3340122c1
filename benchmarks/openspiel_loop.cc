// Random Connect Four games on OpenSpiel's own C++ engine, against the headers and the library of its wheel.
// Prints games per CPU-second. Built and run by connect_four_openspiel.py.
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "open_spiel/spiel.h"

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1.0;
  std::shared_ptr<const open_spiel::Game> game = open_spiel::LoadGame("connect_four");
  std::mt19937 random(7);
  long games = 0;
  const std::clock_t began = std::clock();
  double spent = 0;
  while (spent < seconds) {
    for (int i = 0; i < 1000; ++i, ++games) {
      std::unique_ptr<open_spiel::State> state = game->NewInitialState();
      while (!state->IsTerminal()) {
        const std::vector<open_spiel::Action> legal = state->LegalActions();
        state->ApplyAction(legal[random() % legal.size()]);
      }
    }
    spent = double(std::clock() - began) / CLOCKS_PER_SEC;
  }
  std::printf("%f\n", games / spent);
}
