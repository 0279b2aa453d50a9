import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ROOT, type Snippet } from './documents.ts'

/** Values that the snippets take from the reader's program. */
const READERS_VALUES = `
import type Anthropic from '@anthropic-ai/sdk'
import type { LanguageModel } from 'ai'
import type { GoogleGenAI } from '@google/genai'
import type OpenAI from 'openai'
import type { AgentSession, SkillHost } from 'skills-protocol/agent'
declare global {
  const model: LanguageModel
  const client: Anthropic
  const session: AgentSession
  const host: SkillHost
  const openai: OpenAI
  const gemini: GoogleGenAI
  const token: string
  const file: File
  const signal: AbortSignal
}
`

/** Entries of the package, each with its source: a test does not depend on an earlier build. */
const ENTRIES = {
  '.': 'index.ts',
  client: 'client/index.ts',
  server: 'server/index.ts',
  agent: 'agent/index.ts',
  executors: 'executors/index.ts',
  'agent/ai-sdk': 'agent/adapters/ai-sdk.ts',
  'agent/anthropic': 'agent/adapters/anthropic.ts',
  'agent/gemini': 'agent/adapters/gemini.ts',
  'agent/openai-chat': 'agent/adapters/openai-chat.ts',
  'agent/openai-responses': 'agent/adapters/openai-responses.ts',
}

/** Returns what the compiler reports about TypeScript snippets. */
export function typeCheck(snippets: readonly Snippet[]): string {
  // Below node_modules, so that the SDKs resolve as they do for a reader.
  const parent = join(ROOT, 'node_modules/.cache')
  mkdirSync(parent, { recursive: true })
  const dir = mkdtempSync(join(parent, 'snippets-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const compilerOptions = {
    noUnusedLocals: false,
    paths: Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, file]) => [
        join('skills-protocol', entry),
        [join(ROOT, 'src', file)],
      ]),
    ),
  }
  writeFileSync(join(dir, 'package.json'), '{"type": "module"}')
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
  )
  writeFileSync(join(dir, 'readers-values.d.ts'), READERS_VALUES)
  for (const { document, line, code } of snippets) {
    writeFileSync(join(dir, `${document.replaceAll(/\W/g, '-')}-${line}.ts`), code)
  }
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  return spawnSync(tsc, ['-p', dir], { cwd: dir, encoding: 'utf8' }).stdout
}
