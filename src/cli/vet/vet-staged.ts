import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { maskSource } from '../../core/lint/secrets/mask-secrets.ts'
import { addProofs, vetFolder, type VetReport } from '../../core/vetting/index.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import type { ModelReader } from './ask-model.ts'
import type { VettedSkill } from './vetted-skill.ts'

interface VettedFolder {
  /** Absolute folder. */
  dir: string
  source: string
  /** True to run it with bait as well. */
  isRun: boolean
  /** Reads the skill as well. */
  model?: ModelReader | undefined
}

/** Reads a skill in a folder, asks a model, and runs the skill if that is wanted. */
export async function vetStaged(
  context: Context,
  call: CommandLine,
  { dir, source, isRun, model }: VettedFolder,
): Promise<VettedSkill> {
  const own = vetFolder(dir)
  const reading = model ? await model.read(own, dir) : own
  const asked = model?.name
  if (!isRun) return { source, report: reading, model: asked, texts: readTexts(dir, reading) }
  const { runVetTrials } = await import('./run-trials.ts')
  const trials = await runVetTrials(context, call, { folder: dir, source })
  const report = addProofs(reading, dir, trials)
  return { source, report, trials, model: asked, texts: readTexts(dir, report) }
}

function readTexts(dir: string, { findings }: VetReport): Map<string, string> {
  const files = new Set(findings.map(({ file }) => file))
  return new Map(
    [...files].map((file) => [file, maskSource(file, readOptionalText(join(dir, file)))]),
  )
}

function readOptionalText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
