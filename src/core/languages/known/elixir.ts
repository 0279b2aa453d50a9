import type { Language } from '../language.ts'

export const elixir: Language = {
  name: 'elixir',
  title: 'Elixir',
  extensions: ['.exs', '.ex'],
  aliases: ['elixir'],
  candidates: [
    {
      program: 'elixir',
      needs: ['erl'],
      versionArgs: ['--short-version'],
      inline: () => ({ file: 'main.exs', run: ({ program, code }) => [program('elixir'), code] }),
    },
  ],
  install: 'Elixir (package "elixir")',
  environment: { HEX_OFFLINE: '1', MIX_HOME: '/workspace/.cache/mix' },
  limits: { memoryBytes: 1024 ** 3, processes: 512 },
}
