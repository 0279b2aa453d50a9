import type { Language } from '../language.ts'

export const ruby: Language = {
  name: 'ruby',
  title: 'Ruby',
  extensions: ['.rb'],
  aliases: ['ruby'],
  candidates: [
    {
      program: 'ruby',
      isFixed: true,
      inline: () => ({ file: 'main.rb', run: ({ program, code }) => [program('ruby'), code] }),
    },
  ],
  install: 'Ruby (package "ruby")',
  limits: { processes: 128 },
}
