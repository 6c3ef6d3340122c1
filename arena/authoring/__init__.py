"""What authors of games and bots run: conformance, scenarios, compliance, benchmarks, catalogue."""
