import type { Language } from '../language.ts'

export const perl: Language = {
  name: 'perl',
  title: 'Perl',
  extensions: ['.pl'],
  aliases: ['perl'],
  candidates: [
    {
      program: 'perl',
      versionArgs: ['-e', 'print substr($^V, 1)'],
      isFixed: true,
      inline: () => ({ file: 'main.pl', run: ({ program, code }) => [program('perl'), code] }),
    },
  ],
  install: 'Perl (package "perl")',
  settings: ['perl'],
}
