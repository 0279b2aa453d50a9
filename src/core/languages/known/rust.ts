import type { Language } from '../language.ts'

export const rust: Language = {
  name: 'rust',
  title: 'Rust',
  extensions: ['.rs'],
  aliases: ['rustc'],
  candidates: [
    {
      program: 'rustc',
      // rustc links with the C compiler.
      needs: ['cc'],
      inline: () => ({
        file: 'main.rs',
        compile: {
          product: 'program',
          command: ({ program, code, build }) => [
            program('rustc'),
            '--edition=2021',
            code,
            '-o',
            `${build}/program`,
          ],
        },
        run: ({ build }) => [`${build}/program`],
      }),
    },
  ],
  install: 'Rust (package "rustc") and a C compiler (package "gcc")',
  limits: {
    memoryBytes: 2 * 1024 ** 3,
    processes: 256,
    workspaceBytes: 512 * 1024 ** 2,
  },
}
