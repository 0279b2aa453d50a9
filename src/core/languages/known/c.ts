import type { Candidate, Language } from '../language.ts'

export const c: Language = {
  name: 'c',
  title: 'C',
  extensions: ['.c'],
  aliases: ['gcc', 'cc'],
  candidates: ['gcc', 'cc'].map((name) => createNativeCandidate(name, 'main.c')),
  install: 'a C compiler (packages "gcc" and "libc6-dev")',
  limits: { memoryBytes: 1024 ** 3, processes: 128 },
}

/** Creates a candidate that compiles one file to an executable. */
export function createNativeCandidate(name: string, file: string): Candidate {
  return {
    program: name,
    inline: () => ({
      file,
      compile: {
        product: 'program',
        command: ({ program, code, build }) => [
          program(name),
          code,
          '-o',
          `${build}/program`,
          '-lm',
          '-pthread',
        ],
      },
      run: ({ build }) => [`${build}/program`],
    }),
  }
}
