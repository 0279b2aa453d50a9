import type { InlineCode, InlinePlan, Language } from '../language.ts'
import { buildJavaFlags } from './java.ts'

const MAIN_FUNCTION = /^\s*(?:suspend\s+)?fun\s+main\s*\(/m

export const kotlin: Language = {
  name: 'kotlin',
  title: 'Kotlin',
  extensions: ['.kt', '.kts'],
  aliases: ['kotlin', 'kotlinc'],
  candidates: [
    {
      program: 'kotlinc',
      needs: ['java'],
      versionArgs: ['-version'],
      inline: planKotlinRun,
    },
    {
      program: 'kotlin',
      needs: ['java'],
      versionArgs: ['-version'],
      minVersion: '1.4.0',
      inline: () => ({
        file: 'main.kts',
        run: ({ program, code }) => [program('kotlin'), code],
      }),
    },
  ],
  install: 'Kotlin (package "kotlin") and a JDK',
  limits: {
    memoryBytes: 2 * 1024 ** 3,
    processes: 512,
    workspaceBytes: 512 * 1024 ** 2,
  },
}

/** Code with a function `main` is compiled as a program; other code runs as a script. */
function planKotlinRun({ text }: InlineCode): InlinePlan {
  if (!MAIN_FUNCTION.test(text)) {
    return {
      file: 'main.kts',
      run: ({ program, code }) => [program('kotlinc'), '-script', code],
    }
  }
  return {
    file: 'main.kt',
    compile: {
      product: 'program.jar',
      command: ({ program, code, build }) => [
        program('kotlinc'),
        code,
        '-include-runtime',
        '-d',
        `${build}/program.jar`,
      ],
    },
    run: (paths) => [
      paths.program('java'),
      ...buildJavaFlags(paths),
      '-jar',
      `${paths.build}/program.jar`,
    ],
  }
}
