import type { Language } from '../language.ts'
import { planNodeRun } from './plan-node-run.ts'

export const node: Language = {
  name: 'node',
  title: 'Node.js',
  extensions: ['.js', '.mjs'],
  aliases: ['node', 'bun', 'deno'],
  candidates: [
    {
      program: 'node',
      inline: (code) => planNodeRun(code, { file: 'main.mjs', type: 'module' }),
    },
    {
      program: 'bun',
      isUntested: true,
      inline: () => ({ file: 'main.mjs', run: ({ program, code }) => [program('bun'), code] }),
    },
    {
      program: 'deno',
      isUntested: true,
      inline: () => ({
        file: 'main.mjs',
        run: ({ program, code }) => [program('deno'), 'run', '--quiet', '--allow-all', code],
      }),
    },
  ],
  install: 'Node.js (package "nodejs"), Bun or Deno',
  environment: { DENO_DIR: '/tmp/deno', BUN_INSTALL: '/tmp/bun' },
  limits: { processes: 256 },
}
