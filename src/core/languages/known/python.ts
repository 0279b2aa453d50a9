import type { Candidate, Language } from '../language.ts'

export const python: Language = {
  name: 'python',
  title: 'Python',
  extensions: ['.py'],
  aliases: ['python3', 'python', 'py'],
  candidates: [
    createPythonCandidate('python3'),
    createPythonCandidate('python'),
    createPythonCandidate('py'),
  ],
  install: 'Python 3.9 or newer (package "python3")',
}

function createPythonCandidate(name: string): Candidate {
  return {
    program: name,
    isPython: true,
    inline: () => ({ file: 'main.py', run: ({ program, code }) => [program(name), code] }),
  }
}
