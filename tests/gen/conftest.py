"""The marker `slow`: left out unless asked for."""


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes")
