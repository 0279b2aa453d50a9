import { lstatSync, readFileSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { planApiSkill, type ApiPlan } from '../../core/adopting/openapi/plan-api-skill.ts'
import { MAX_DOCUMENT } from '../../core/adopting/openapi/read-document.ts'
import { parseServer } from '../../core/adopting/openapi/server-url.ts'
import { deriveFolderName } from '../../core/skills/scaffold/skill-name.ts'
import { writeSkill } from '../../core/skills/scaffold/write-skill.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findScanProblems } from '../../core/installing/installer/examine-staged.ts'
import { openConfig } from '../runtime.ts'
import { formatCount } from '../ui/text.ts'
import { askAdoption, noteNextSteps } from './ask-adoption.ts'

const SCRIPT = /\.(?:py|[cm]?js|[cm]?ts|sh|bash|rb|pl)$/

/** `skills adopt` of an OpenAPI document. */
export async function runAdoptApi(
  context: Context,
  call: CommandLine,
  path: string,
): Promise<number> {
  if (getFlagOption(call, 'force')) {
    throw new SkillsError(
      'usage/invalid',
      '--force applies to folders: the skill of a document is a new folder',
      {
        hint: 'Omit --force, and choose another folder with --out',
      },
    )
  }
  if (SCRIPT.test(path)) {
    throw new SkillsError(
      'usage/invalid',
      `"${basename(path)}" is a script, expected a folder with SKILL.md, or an OpenAPI document`,
      { hint: 'Put it into the folder scripts of a folder with a SKILL.md, and adopt that folder' },
    )
  }
  const plan = planApiSkill({
    text: readDocument(path),
    file: basename(path),
    name: getTextOption(call, 'name'),
    server: readServerOption(call),
    operations: getListOption(call, 'operation'),
    tags: getListOption(call, 'tag'),
  })
  const parent = getTextOption(call, 'out') ?? 'skills'
  const target = resolve(context.cwd, parent, deriveFolderName(plan.identity.name))
  if (getFlagOption(call, 'dryRun')) {
    reportApiSkill(context, { plan, target, written: false, problems: [] })
    return 0
  }
  // Lint needs the configuration: one that cannot be read is reported before anything is written.
  const loaded = await openConfig(context)
  await askAdoption(context, call, describePlan(plan))
  const source = quoteShellWord(relative(context.cwd, path))
  const formatCommand = ({ dir = parent }) => `skills adopt ${source} --out ${quoteShellWord(dir)}`
  writeSkill(target, plan.files, { signal: context.signal, formatCommand })
  const problems = await findScanProblems({ ...loaded, env: context.env }, target)
  reportApiSkill(context, { plan, target, written: true, problems })
  return problems.length > 0 ? 1 : 0
}

function readDocument(path: string): string {
  if (lstatSync(path).size <= MAX_DOCUMENT) return readFileSync(path, 'utf8')
  throw new SkillsError('file/too-large', `"${path}" has more than ${MAX_DOCUMENT} bytes`, {
    hint: 'Use the part of the document that has the operations you need',
  })
}

function readServerOption(call: CommandLine): string | undefined {
  const written = getTextOption(call, 'server')
  if (written === undefined) return undefined
  const server = parseServer(written)
  if (server !== undefined) return server
  throw new SkillsError('usage/invalid', `--server "${written}" is not an address of a host`, {
    hint: 'Use an address without query and user, such as https://api.example.com/v1',
  })
}

function describePlan({ identity, operations, capabilities, skipped }: ApiPlan): string {
  const lines = [
    `${identity.name}@${identity.version}, a skill with ${formatCount(operations.length, 'operation')}`,
    ...operations.map(({ command, place }) => `- ${command.name} (${place})`),
    ...capabilities.map(({ kind, value }) => `- allows the ${kind} ${value}`),
    ...skipped.slice(0, 20).map((each) => `- ${each}`),
    ...(skipped.length > 20 ? [`- ${skipped.length} operations are left out`] : []),
  ]
  return lines.map((line) => toPrintable(line)).join('\n')
}

interface ApiReport {
  plan: ApiPlan
  target: string
  written: boolean
  problems: readonly string[]
}

function reportApiSkill(context: Context, { plan, target, written, problems }: ApiReport): void {
  const { identity, operations, capabilities, skipped, files } = plan
  if (context.global.json) {
    context.document('skills.adopt-api/v1', {
      name: identity.name,
      version: identity.version,
      path: target,
      written,
      files: [...files.keys()],
      operations: operations.map(({ command, place }) => ({
        name: command.name,
        place,
        inputs: command.arguments.map(({ input }) => input),
      })),
      capabilities,
      left_out: skipped,
      lint_errors: problems,
    })
    return
  }
  if (!written) {
    context.note(describePlan(plan))
    context.print((files.get('skill.toml') ?? '').trimEnd())
    return
  }
  context.print(`Wrote ${identity.name} to ${target}`)
  for (const path of files.keys()) context.print(`  ${path}`)
  noteNextSteps(context, { target, problems, runs: true })
}
