import type { Candidate, Language } from '../language.ts'

export const python: Language = {
  name: 'python',
  title: 'Python',
  aliases: ['python3', 'python', 'py'],
  candidates: [interpreter('python3'), interpreter('python'), interpreter('py')],
  install: 'Python 3.9 or newer (package "python3")',
}

function interpreter(name: string): Candidate {
  return {
    program: name,
    isPython: true,
    inline: () => ({ file: 'main.py', run: ({ program, code }) => [program(name), code] }),
  }
}
