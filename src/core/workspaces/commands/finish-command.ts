import { stripColors } from '../../../util/strip-colors.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { SkillCommandParams, SkillRunResult } from '../../methods/skill-run/definition.ts'
import type { ProgramOutcome } from '../../runs/job.ts'
import type { Services } from '../../services.ts'
import type { SavedArtifact } from '../../runs/run-events.ts'
import { describeSaved, saveArtifact } from '../artifacts/artifacts.ts'
import { describeCut, OUTPUT_DROPPED } from './command-plan.ts'
import type { BoundedText } from './bounded-text.ts'
import { shellExitCode } from './exit-code.ts'
import { explainOutput } from './explain-output.ts'
import {
  collectFiles,
  type CollectedFile,
  type CollectLimits,
  type OutputFile,
} from '../files/collect-files.ts'
import type { EndedCommand } from './run-command.ts'
import { toCollectLimits } from './skill-command.ts'

const MAX_UNREADABLE_SHOWN = 5
/** A longer file is read with its reference. */
const MAX_PRIMARY_BYTES = 32 * 1024
/** Without requested outputs, files are collected only to find the primary one. */
const DEFAULT_COLLECTION = { globs: ['out/**'], limits: { maxFiles: 20 } }

/** Collects the results of a command after all of its processes have ended. */
export async function finishCommand(
  services: Services,
  params: SkillCommandParams,
  ended: PrintedCommand,
): Promise<SkillRunResult> {
  const { ready, outcome } = ended
  const warnings = [...ready.warnings]
  const { artifact_files: artifacts, ...files } = await collectResults(services, params, {
    ...ended,
    warnings,
  })
  const streams = formatStreams(ended, warnings)
  return {
    ...(ready.staged.length > 0 && { staged_inputs: [...ready.staged] }),
    ...files,
    ...streams,
    exit_code: shellExitCode(outcome),
    timed_out: outcome.status === 'timeout',
    duration_ms: outcome.durationMs,
    ...(artifacts && { artifact_files: artifacts }),
    ...(warnings.length > 0 && { warnings }),
    run_id: outcome.runId,
  }
}

/** Collects and saves the files of a command; adds to its warnings. */
export async function collectResults(
  services: Services,
  params: CollectionParams,
  { warnings, ...ended }: EndedCommand & { warnings: string[] },
): Promise<Pick<SkillRunResult, 'output_files' | 'primary_output' | 'artifact_files'>> {
  const plan = planCollection(services, params)
  const { quotaBytes } = services.config.store
  const files = await collectOutputs(ended, { wanted: plan, warnings })
  const artifacts = plan.saves
    ? await saveArtifacts(ended, files, { wanted: plan, warnings, quotaBytes })
    : []
  const listed = plan.isListed ? files : []
  const primary = plan.isHidden ? undefined : findPrimaryOutput(files)
  if (listed.length > 0) warnings.push(...(await listFileWarnings(services, plan, ended.outcome)))
  const isOmitted = params.omit_inline_content === true
  return {
    output_files: listed.map((file) => toOutputFile(file, isOmitted)),
    ...(primary && {
      // Its content is in the answer once.
      primary_output: toOutputFile(primary, listed.includes(primary) || isOmitted),
    }),
    ...(artifacts.length > 0 && { artifact_files: artifacts }),
  }
}

/** Parameters that choose files. */
type CollectionParams = Pick<
  SkillCommandParams,
  'outputs' | 'output_files' | 'artifact_prefix' | 'save_as_artifacts' | 'omit_inline_content'
>

/** A command that has ended, with its output. */
interface PrintedCommand extends EndedCommand {
  stdout: BoundedText
  stderr: BoundedText
}

const PATHS_WARNING =
  'output_files are paths of the workspace: use their content, or read their ref with workspace_read'
const SECRETS_WARNING =
  'files are returned as the command wrote them: secrets in them are not redacted'
const EMPTY_FILES_WARNING =
  'empty output_files omitted because command failed; shell redirections can create empty files before execution fails'

/** Handling of the files that a command leaves. */
interface CollectionPlan {
  globs: readonly string[]
  limits: CollectLimits
  /** True if outputs were requested; otherwise only the primary one is reported. */
  isRequested: boolean
  isListed: boolean
  isHidden: boolean
  saves: boolean
  prefix: string
}

/** `output_files` take precedence over `outputs`. */
function planCollection(services: Services, params: CollectionParams): CollectionPlan {
  const { outputs, output_files: names = [] } = params
  const isForced = services.config.workspace.saveOutputs
  if (names.length > 0) {
    const { artifact_prefix: prefix = '', save_as_artifacts: saves } = params
    const plan = { globs: names, limits: {}, prefix, saves: isForced || saves === true }
    return { ...plan, isRequested: true, isListed: true, isHidden: false }
  }
  if (!outputs) {
    const nothing = { isRequested: false, isListed: false, isHidden: false, saves: false }
    return { ...DEFAULT_COLLECTION, ...nothing, prefix: '' }
  }
  const isListed = outputs.inline !== false
  return {
    globs: outputs.globs,
    limits: toCollectLimits(outputs),
    isRequested: true,
    isListed,
    isHidden: !isListed,
    saves: isForced || outputs.save === true,
    prefix: outputs.name_template ?? '',
  }
}

/** Says how the files of a result are used, and that they may have the secrets of the run. */
async function listFileWarnings(
  services: Services,
  { saves }: CollectionPlan,
  { runId }: ProgramOutcome,
): Promise<string[]> {
  const { policy } = await (await services.runs()).get(runId)
  return [
    ...(saves ? [] : [PATHS_WARNING]),
    ...(policy.secrets.length > 0 ? [SECRETS_WARNING] : []),
  ]
}

interface CollectionContext {
  wanted: CollectionPlan
  warnings: string[]
}

async function collectOutputs(
  { ready, outcome, startedMs }: EndedCommand,
  { wanted: plan, warnings }: CollectionContext,
): Promise<CollectedFile[]> {
  const tree = await ready.workspace.tree()
  const { files: all, limitsHit } = await collectFiles(tree, plan.globs, plan.limits)
  if (tree.unreadable.size > 0) warnings.push(describeUnreadable([...tree.unreadable]))
  // Files of earlier commands are not results of this one.
  if (!plan.isRequested) return all.filter(({ changedMs }) => changedMs >= startedMs)
  if (limitsHit.length > 0) {
    warnings.push(`some output files were left out or cut (${limitsHit.join(', ')})`)
  }
  const files = outcome.status === 'success' ? all : all.filter((file) => file.size_bytes > 0)
  if (files.length < all.length) warnings.push(EMPTY_FILES_WARNING)
  return files
}

/** Folders and files that a command locked. */
function describeUnreadable(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_UNREADABLE_SHOWN).map((path) => toPrintable(path))
  const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ''
  return `cannot read without permission, so output files may be missing: ${shown.join(', ')}${more}`
}

async function saveArtifacts(
  { ready: { workspace } }: EndedCommand,
  files: readonly CollectedFile[],
  {
    wanted: { prefix },
    warnings,
    quotaBytes,
  }: { wanted: CollectionPlan; warnings: string[]; quotaBytes: number },
): Promise<SavedArtifact[]> {
  const saved: SavedArtifact[] = []
  for (const file of files) {
    if (file.truncated) {
      warnings.push(`cannot save truncated output file: ${file.name}`)
      continue
    }
    const content = { bytes: file.bytes, mimeType: file.mime_type, quotaBytes }
    saved.push(describeSaved(await saveArtifact(workspace, `${prefix}${file.name}`, content)))
  }
  return saved
}

function formatStreams(
  {
    outcome,
    stdout,
    stderr,
  }: { outcome: ProgramOutcome; stdout: BoundedText; stderr: BoundedText },
  warnings: string[],
): { stdout: string; stderr: string } {
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    if (stream.isCut) warnings.push(describeCut(name, outcome.runId))
  }
  if (outcome.truncated) warnings.push(OUTPUT_DROPPED)
  warnings.push(...explainOutput(stderr.text()))
  const { error } = outcome
  // A program that did not start has no output.
  const didStart = error?.type !== 'NotStarted'
  if (error && didStart) warnings.push(`${error.type}: ${error.message}`)
  return {
    stdout: stripColors(stdout.text()),
    stderr: didStart ? stripColors(stderr.text()) : `${error.message}\n`,
  }
}

function toOutputFile(file: CollectedFile, isOmitted: boolean): OutputFile {
  const { bytes: _, changedMs: _changed, content, ...shown } = file
  const isShown = content !== undefined && !isOmitted
  return isShown ? { ...shown, content } : shown
}

/** The first text file by name that is neither blank nor long. */
function findPrimaryOutput(files: readonly CollectedFile[]): CollectedFile | undefined {
  const texts = files.filter(
    ({ content, size_bytes: size }) =>
      content !== undefined && content.trim() !== '' && size <= MAX_PRIMARY_BYTES,
  )
  return texts.sort((a, b) => (a.name < b.name ? -1 : 1))[0]
}
