import type { Candidate, Language } from '../language.ts'

export const shell: Language = {
  name: 'shell',
  title: 'Shell',
  extensions: ['.sh', '.bash'],
  aliases: ['bash', 'sh', 'cmd'],
  candidates: [
    createShellCandidate('bash'),
    { ...createShellCandidate('sh'), versionArgs: ['-c', 'echo POSIX shell'] },
  ],
  install: 'a shell (package "bash")',
  codeOnly: true,
}

function createShellCandidate(name: string): Candidate {
  return {
    program: name,
    inline: () => ({ file: 'main.sh', run: ({ program, code }) => [program(name), code] }),
  }
}
