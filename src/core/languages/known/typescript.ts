import type { InlineCode, InlinePlan, Language } from '../language.ts'
import { isAtLeast } from '../program-version.ts'
import { STRIPS_TYPES, stripTypesMount, stripTypesWords } from '../strip-types.ts'
import { nodeCommand } from './javascript-command.ts'

export const typescript: Language = {
  name: 'typescript',
  title: 'TypeScript',
  aliases: ['tsx', 'bun', 'ts-node', 'node', 'deno', 'esbuild'],
  candidates: [
    {
      program: 'node',
      since: '22.13.0',
      inline: (code) =>
        nodeCommand(code, { file: 'main.mts', type: 'module-typescript', flags: flagsFor(code) }),
    },
    { program: 'tsx', untried: true, needs: ['node'], inline: () => withFile('tsx') },
    { program: 'bun', untried: true, inline: () => withFile('bun') },
    {
      program: 'deno',
      untried: true,
      inline: () => withFile('deno', ['run', '--quiet', '--allow-all']),
    },
    { program: 'ts-node', untried: true, needs: ['node'], inline: () => withFile('ts-node') },
    {
      program: 'esbuild',
      needs: ['node'],
      inline: () => ({
        file: 'main.mts',
        compile: {
          product: 'main.mjs',
          command: ({ program, code, build }) => [
            program('esbuild'),
            code,
            '--log-level=warning',
            '--format=esm',
            '--target=node20',
            `--outfile=${build}/main.mjs`,
          ],
        },
        run: ({ program, build }) => [program('node'), `${build}/main.mjs`],
      }),
    },
    {
      program: 'node',
      since: '20.6.0',
      tools: () => [stripTypesMount()],
      inline: () => ({
        file: 'main.mts',
        run: ({ program, code }) => [program('node'), ...stripTypesWords(), code],
      }),
    },
  ],
  install: 'Node.js 20.6 or newer, or one of tsx, Bun, Deno and ts-node',
  environment: { DENO_DIR: '/tmp/deno', BUN_INSTALL: '/tmp/bun' },
  limits: { processes: 256 },
}

function flagsFor({ version }: InlineCode): string[] {
  const isOwn = isAtLeast(version, STRIPS_TYPES)
  return isOwn ? [] : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
}

function withFile(name: string, words: readonly string[] = []): InlinePlan {
  return { file: 'main.mts', run: ({ program, code }) => [program(name), ...words, code] }
}
