import type { Language } from '../language.ts'

export const r: Language = {
  name: 'r',
  title: 'R',
  extensions: ['.r'],
  aliases: ['rscript'],
  candidates: [
    {
      program: 'Rscript',
      isFixed: true,
      inline: () => ({ file: 'main.R', run: ({ program, code }) => [program('Rscript'), code] }),
    },
  ],
  install: 'R (package "r-base-core")',
  settings: ['R'],
}
