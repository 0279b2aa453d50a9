import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProject } from '../../core/config/project/find-project.ts'
import type { Finding } from '../../core/lint/finding.ts'
import { maskSource } from '../../core/lint/secrets/mask-secrets.ts'
import { addFindings, createFinding, type VetReport } from '../../core/vetting/index.ts'
import { Budget, checkBudget } from '../../evals/model/budget.ts'
import type { EvalModel } from '../../evals/model/eval-model.ts'
import { openModel } from '../../evals/model/open-model.ts'
import { readByModel, type ModelFinding } from '../../evals/vetting/read-by-model.ts'
import { SkillsError } from '../../errors.ts'
import { LineIndex } from '../../util/line-index.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readNumberOption } from '../test/eval-options.ts'

/** A model that reads skills as well; it spends one budget for all skills of a command. */
export interface ModelReader {
  name: string
  read(report: VetReport, dir: string): Promise<VetReport>
}

/** Opens the model of `--model`; undefined without the option. */
export async function openModelReader(
  context: Context,
  call: CommandLine,
  source: string | undefined,
): Promise<ModelReader | undefined> {
  const name = getTextOption(call, 'model')
  if (name === undefined) return undefined
  const { cwd, env } = context
  // A provider of the vetted project would be code that reading starts.
  const foreign = source === undefined ? [] : [findProject(source, env['HOME'] ?? '').dir]
  const model = await openModel(name, { cwd, skills: foreign })
  const limits = { maxTokens: readCeiling(call), maxCostUsd: undefined, prices: undefined }
  checkBudget(limits, [model])
  const budget = new Budget(limits)
  return {
    name: model.name,
    read: async (report, dir) => await addOpinion(report, dir, { model, budget, context }),
  }
}

function readCeiling(call: CommandLine): number | undefined {
  return readNumberOption(call, { name: 'maxTokens', flag: '--max-tokens', example: '200000' })
}

interface Asking {
  model: EvalModel
  budget: Budget
  context: Context
}

async function addOpinion(
  report: VetReport,
  dir: string,
  { model, budget, context }: Asking,
): Promise<VetReport> {
  const texts = report.read.map((path) => ({
    path,
    text: maskSource(path, readFileSync(join(dir, path), 'utf8')),
  }))
  const { findings, notRead } = await readByModel(texts, {
    model,
    budget,
    signal: context.signal,
  }).catch((thrown: unknown) => {
    if (thrown instanceof SkillsError || context.signal.aborted) throw thrown
    throw new SkillsError(
      'remote/unexpected',
      `The model ${model.name} gave no answer: ${(thrown as Error).message}`,
      { hint: 'Repeat the command, or omit --model', cause: thrown },
    )
  })
  const raised = addFindings(
    report,
    findings.map((each) => toOpinion(each, { dir, model, texts })),
  )
  return { ...raised, notRead: [...report.notRead, ...notRead] }
}

function toOpinion(
  { severity, file, quote, reason }: ModelFinding,
  at: { dir: string; model: EvalModel; texts: readonly { path: string; text: string }[] },
): Finding {
  const text = at.texts.find(({ path }) => path === file)?.text
  const offset = quote === undefined ? -1 : (text?.indexOf(quote) ?? -1)
  const index = new LineIndex(text ?? '')
  const finding = createFinding(at.dir, {
    rule: 'model/opinion',
    severity,
    file,
    start: offset === -1 ? undefined : index.positionAt(offset),
    message: `${at.model.name} says: ${reason}`,
    help: 'Read the place yourself: a model can be wrong, and a text can deceive it',
    certainty: 'unclear',
  })
  if (quote === undefined || offset === -1) return finding
  return { ...finding, end: index.positionAt(offset + quote.length) }
}
