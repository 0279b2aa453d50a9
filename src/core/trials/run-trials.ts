import { availableParallelism } from 'node:os'
import { SkillsError } from '../../errors.ts'
import { readSkillSource } from '../skills/manifest/read-source.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import { openTrials, type TrialMachine } from './open-trials.ts'
import { runSubject } from './run-subject.ts'
import { listSubjects } from './subjects/list-subjects.ts'
import type { Subject } from './subjects/subject.ts'
import type { TrialContext } from './trial-context.ts'
import { TrialSlots } from './trial-slots.ts'
import type { TrialReport } from './trial-report.ts'

const OVERALL_MS = 10 * 60_000
/** Subjects that an error lists. */
const MAX_NAMED = 10

/** Progress of a run of trials. */
export interface TrialProgress {
  subject: string
  variant: string
  /** Subjects that have ended, and all. */
  done: number
  total: number
}

export interface TrialOptions extends TrialMachine {
  /** Runs only this subject, or this variant of each. */
  only?: { subject?: string | undefined; variant?: string | undefined } | undefined
  /** Source of the skill in the commands that repeat a trial. */
  name?: string | undefined
  /** Milliseconds for all trials together. */
  overallMs?: number | undefined
  /** Milliseconds for the trials of one subject together. */
  subjectMs?: number | undefined
  onProgress?: ((progress: TrialProgress) => void) | undefined
}

/**
 * Runs everything of a skill's folder that can be run, each part in sandboxes of its own with bait
 * and a network that leads nowhere. A subject is not run again once it has a proof.
 */
export async function runTrials(folder: string, options: TrialOptions): Promise<TrialReport> {
  const source = readSkillSource(folder)
  const { manifest } = toManifest(source)
  const context = await openTrials(source, manifest, options)
  try {
    const { env, signal, only } = options
    const listed = await listSubjects(source, manifest, {
      env,
      signal,
      folder: context.skillFolder,
    })
    const subjects = listed.subjects.filter(
      ({ name }) => only?.subject === undefined || name === only.subject,
    )
    if (only?.subject !== undefined && subjects.length === 0) {
      throw createSubjectError(only.subject, listed.subjects)
    }
    const report: TrialReport = {
      skill: manifest.name,
      subjects: [],
      proofs: [],
      notRun: listed.notRun,
    }
    await runAll(
      { context, options, report, deadline: performance.now() + (options.overallMs ?? OVERALL_MS) },
      subjects,
    )
    if (only?.variant !== undefined && subjects.length > 0 && report.subjects.length === 0) {
      throw createVariantError(only.variant)
    }
    return sortReport(report, subjects)
  } finally {
    context.folders.remove()
  }
}

function createVariantError(name: string): SkillsError {
  return new SkillsError('usage/invalid', `No part of the skill ran in the variant "${name}"`, {
    hint: 'Type one of plain, packages, ci, later, "other host", terminal, or omit --variant',
  })
}

function createSubjectError(name: string, subjects: readonly Subject[]): SkillsError {
  const names = subjects.slice(0, MAX_NAMED).map((each) => each.name)
  const hint = names.length === 0 ? 'It has no such part' : `It has ${names.join(', ')}`
  return new SkillsError('usage/invalid', `The skill has no part "${name}" that can be run`, {
    hint,
  })
}

interface Running {
  context: TrialContext
  options: TrialOptions
  report: TrialReport
  deadline: number
}

/** Runs as many subjects at once as this machine has processors. */
async function runAll(running: Running, subjects: readonly Subject[]): Promise<void> {
  const { context, report, options, deadline } = running
  const slots = new TrialSlots(availableParallelism())
  const waiting = [...subjects]
  let done = 0
  const work = async () => {
    for (let subject = waiting.shift(); subject; subject = waiting.shift()) {
      const progress = { subject: subject.name, done, total: subjects.length }
      const onVariant = (variant: string) => options.onProgress?.({ ...progress, variant })
      await runSubject({ context, slots, report, options, subject, deadline, onVariant })
      done += 1
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
}

/** Subjects in the order of the skill, each with its trials in the order of their start. */
function sortReport(report: TrialReport, subjects: readonly Subject[]): TrialReport {
  const order = new Map(subjects.map(({ name }, at) => [name, at]))
  const rank = ({ subject }: { subject: string }) => order.get(subject) ?? -1
  return {
    ...report,
    subjects: report.subjects.toSorted((a, b) => rank(a) - rank(b)),
    proofs: report.proofs.toSorted((a, b) => rank(a) - rank(b)),
  }
}
