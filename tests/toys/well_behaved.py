"""Does everything right."""

from wire import Toy

Toy().run()
