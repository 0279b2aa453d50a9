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
  // Enough for a test runner that a shell starts.
  limits: {
    memoryBytes: 2 * 1024 ** 3,
    processes: 512,
    workspaceBytes: 1024 ** 3,
  },
}

function createShellCandidate(name: string): Candidate {
  return {
    program: name,
    inline: () => ({ file: 'main.sh', run: ({ program, code }) => [program(name), code] }),
  }
}
