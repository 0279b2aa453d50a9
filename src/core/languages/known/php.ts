import type { Language } from '../language.ts'

export const php: Language = {
  name: 'php',
  title: 'PHP',
  extensions: ['.php'],
  aliases: ['php'],
  candidates: [
    {
      program: 'php',
      inline: () => ({ file: 'main.php', run: ({ program, code }) => [program('php'), code] }),
    },
  ],
  install: 'PHP (package "php-cli")',
  settings: ['php'],
}
