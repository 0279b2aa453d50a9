GREETINGS = {"en": "Hello", "de": "Hallo", "fr": "Bonjour"}
