import { existsSync, lstatSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { planAdoption, type AdoptionPlan } from '../../core/adopting/plan-adoption.ts'
import { checkAdoptable, writeAdoption } from '../../core/adopting/write-adoption.ts'
import { writeAdoptedCopy } from '../../core/adopting/write-copy.ts'
import { deriveFolderName } from '../../core/skills/scaffold/skill-name.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findScanProblems } from '../../core/installing/installer/examine-staged.ts'
import { openConfig } from '../runtime.ts'
import { runAdoptApi } from './run-adopt-api.ts'
import { askAdoption, noteNextSteps } from './ask-adoption.ts'
import { toPrintable } from '../../util/printable.ts'

/** `skills adopt`. */
export async function runAdopt(context: Context, call: CommandLine): Promise<number> {
  const [written = ''] = call.args
  const dir = resolve(context.cwd, written)
  if (lstatSync(dir, { throwIfNoEntry: false })?.isFile())
    return await runAdoptApi(context, call, dir)
  checkFolder(call, dir, written)
  const out = getTextOption(call, 'out')
  const force = call.options['force'] === true
  const isDry = call.options['dryRun'] === true
  if (out === undefined && !isDry) checkAdoptable(dir, force)
  const loaded = await openConfig(context)
  const { config } = loaded
  const { env, signal } = context
  const plan = await planAdoption(dir, { python: config.run.python, env, signal })
  const target =
    out === undefined ? dir : resolve(context.cwd, out, deriveFolderName(plan.identity.name))
  if (isDry) {
    reportAdoption(context, { plan, target, written: false, problems: [] })
    return 0
  }
  await askAdoption(context, call, describeAdoption(plan))
  if (out === undefined) await writeAdoption(dir, plan.files, { force })
  else writeAdoptedCopy({ dir, target, files: plan.files, signal, force })
  const problems = await findScanProblems({ ...loaded, env: context.env }, target)
  reportAdoption(context, { plan, target, written: true, problems })
  return problems.length > 0 ? 1 : 0
}

const API_OPTIONS = ['name', 'operation', 'tag', 'server']

function checkFolder(call: CommandLine, dir: string, written: string): void {
  const other = API_OPTIONS.find((each) => call.options[each] !== undefined)
  if (other !== undefined && existsSync(dir)) {
    throw new SkillsError(
      'usage/invalid',
      `--${other} applies to OpenAPI documents, and "${written}" is a folder`,
      {
        hint: `Omit --${other}, or name the file of the document`,
      },
    )
  }
  if (!existsSync(dir)) {
    throw new SkillsError('usage/invalid', `There is no folder and no file "${written}"`, {
      hint: 'Name the folder of an Agent Skill, which has a SKILL.md, or an OpenAPI document',
    })
  }
  if (lstatSync(dir).isDirectory() && existsSync(join(dir, 'SKILL.md'))) return
  throw new SkillsError('usage/invalid', `"${written}" is not a folder with SKILL.md`, {
    hint: 'Name the folder of an Agent Skill, such as ./skills/pdf',
  })
}

interface AdoptionReport {
  plan: AdoptionPlan
  target: string
  written: boolean
  problems: readonly string[]
}

function reportAdoption(
  context: Context,
  { plan, target, written, problems }: AdoptionReport,
): void {
  if (context.global.json) {
    context.document('skills.adopt/v1', toDocument({ plan, target, written, problems }))
    return
  }
  if (!written) {
    context.note(describeAdoption(plan))
    context.print((plan.files.get('skill.toml') ?? '').trimEnd())
    return
  }
  context.print(`Adopted ${plan.identity.name} in ${target}`)
  for (const path of plan.files.keys()) context.print(`  ${path}`)
  noteNextSteps(context, { target, problems, runs: plan.kind === 'action' })
}

function toDocument({ plan, target, written, problems }: AdoptionReport): object {
  const { identity, kind, commands, inputs, capabilities, unknown, files } = plan
  return {
    name: identity.name,
    version: identity.version,
    kind,
    path: target,
    written,
    files: [...files.keys()],
    changes: identity.changes,
    commands: commands.map(({ command, place }) => ({
      name: command.name,
      script: command.script,
      place,
      inputs: command.arguments.map(({ input }) => input),
    })),
    inputs: inputs.map(({ name, type, required, place, certainty }) => ({
      name,
      type,
      required,
      place,
      certainty,
    })),
    capabilities,
    unknown,
    lint_errors: problems,
    manifest_text: files.get('skill.toml'),
  }
}

const MAX_LINES = 20

/** Lines that a user reads before the consent. Texts of the skill cannot control the terminal. */
function describeAdoption(plan: AdoptionPlan): string {
  const { identity, commands, capabilities, unknown, files } = plan
  const allowed = capabilities.filter((each) => each.allowed)
  const others = capabilities.filter((each) => !each.allowed && each.kind !== 'package')
  const packages = capabilities.filter(({ kind }) => kind === 'package')
  const lines = [
    `${identity.name}@${identity.version}, ${plan.kind}, writes ${[...files.keys()].join(', ')}`,
    ...identity.changes.map((each) => `- ${each}`),
    ...limit(
      commands.map(
        ({ command, place }) =>
          `- command ${command.name} (${place}): ${command.arguments.map(({ input }) => input).join(', ') || 'no inputs'}`,
      ),
    ),
    ...limit(
      allowed.map(
        ({ kind, value, certainty, place }) =>
          `- allows the ${kind} ${value} (${certainty}, ${place})`,
      ),
    ),
    ...limit(
      others.map(
        ({ kind, value, certainty, place }) =>
          `- does not allow the ${kind} ${value} (${certainty}, ${place})`,
      ),
    ),
    ...limit(
      packages.map(
        ({ value, place }) =>
          `- needs the package ${value} (${place}), pin it with skills deps add`,
      ),
    ),
    ...limit(unknown.map((each) => `- not known: ${each}`)),
  ]
  return lines.map((line) => toPrintable(line)).join('\n')
}

function limit(lines: string[]): string[] {
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `- ${lines.length - MAX_LINES} more: see --json`]
}
