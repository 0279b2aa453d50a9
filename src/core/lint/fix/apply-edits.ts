import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { Overlay } from '../../skills/manifest/read-source.ts'
import type { Finding } from '../finding.ts'
import type { LintEdit, LintedSkill } from '../rule.ts'

export function createOverlay(): Overlay {
  return { texts: new Map(), modes: new Map(), deleted: new Set() }
}

/** Digest of an overlay; equal changes give equal digests, whatever their order. */
export function digestOverlay({ texts, modes, deleted }: Overlay): string {
  const whole = createHash('sha256')
  const parts = [
    ...[...texts]
      .filter(([path]) => !deleted.has(path))
      .map(([path, text]) => ['text', path, text]),
    ...[...modes].map(([path, mode]) => ['mode', path, mode]),
    ...[...deleted].map((path) => ['deleted', path]),
  ].map((part) => JSON.stringify(part))
  for (const part of parts.sort()) whole.update(`${part}\n`)
  return whole.digest('hex')
}

/**
 * Applies the edits of findings to an overlay. True if anything changed. The edits of one finding
 * are applied together or not at all; those that overlap an earlier edit wait for the next pass.
 */
export function applyEdits(
  findings: readonly Finding[],
  skill: Pick<LintedSkill, 'read'>,
  overlay: Overlay,
): boolean {
  const accepted = new Map<string, Extract<LintEdit, { kind: 'replace' }>[]>()
  let changed = false
  for (const { edits } of findings) {
    if (
      edits.some(
        (edit) => edit.kind === 'replace' && overlapsAccepted(accepted.get(edit.file), edit),
      )
    )
      continue
    for (const edit of edits) {
      if (edit.kind === 'replace') {
        accepted.set(edit.file, [...(accepted.get(edit.file) ?? []), edit])
      } else changed = applyFileEdit(edit, overlay) || changed
    }
  }
  for (const [file, edits] of accepted) {
    const before = skill.read(file)
    if (before === undefined || overlay.deleted.has(file)) continue
    const after = replaceSpans(before, edits)
    if (after === before) continue
    overlay.texts.set(file, after)
    changed = true
  }
  return changed
}

function overlapsAccepted(
  accepted: readonly Extract<LintEdit, { kind: 'replace' }>[] | undefined,
  edit: Extract<LintEdit, { kind: 'replace' }>,
): boolean {
  return (accepted ?? []).some(
    ({ span }) =>
      (span.start < edit.span.end && edit.span.start < span.end) ||
      (span.start === edit.span.start && span.end === edit.span.end),
  )
}

function applyFileEdit(edit: Exclude<LintEdit, { kind: 'replace' }>, overlay: Overlay): boolean {
  if (edit.kind === 'chmod') {
    if (overlay.modes.get(edit.file) === edit.mode) return false
    overlay.modes.set(edit.file, edit.mode)
  } else if (edit.kind === 'delete') {
    if (overlay.deleted.has(edit.file)) return false
    overlay.deleted.add(edit.file)
  } else {
    if (overlay.texts.has(edit.file)) return false
    overlay.texts.set(edit.file, edit.text)
  }
  return true
}

function replaceSpans(
  text: string,
  edits: readonly Extract<LintEdit, { kind: 'replace' }>[],
): string {
  let result = text
  for (const { span, text: insert } of [...edits].sort((a, b) => b.span.start - a.span.start)) {
    result = result.slice(0, span.start) + insert + result.slice(span.end)
  }
  return result
}

/**
 * Writes an overlay to disk. Files are replaced atomically; paths outside of the skill or through a
 * symbolic link are refused.
 */
export function writeOverlay(dir: string, overlay: Overlay): string[] {
  const written = new Set<string>()
  for (const [path, text] of overlay.texts) {
    if (overlay.deleted.has(path)) continue
    const file = resolveWritablePath(dir, path)
    const mode = existsSync(file) ? lstatSync(file).mode & 0o7777 : 0o644
    const temporary = join(dirname(file), `.${randomBytes(6).toString('hex')}.tmp`)
    mkdirSync(dirname(file), { recursive: true })
    try {
      writeFileSync(temporary, text, { mode, flag: 'wx' })
      chmodSync(temporary, mode)
      renameSync(temporary, file)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    written.add(path)
  }
  for (const [path, mode] of overlay.modes) {
    if (overlay.deleted.has(path)) continue
    chmodSync(resolveWritablePath(dir, path), mode)
    written.add(path)
  }
  for (const path of overlay.deleted) {
    // Removes a symbolic link itself, not its target.
    rmSync(resolveWritablePath(dir, path, true), { recursive: true, force: true })
    written.add(path)
  }
  return [...written].sort()
}

function resolveWritablePath(dir: string, path: string, mayBeLink = false): string {
  const file = join(dir, path)
  const base = realpathSync(dir)
  const parent = existsSync(dirname(file)) ? realpathSync(dirname(file)) : base
  const isLink = !mayBeLink && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLink || (parent !== base && !parent.startsWith(base + sep))) {
    throw new SkillsError(
      'file/outside',
      `Cannot fix "${path}": the path contains a symbolic link`,
      {
        hint: 'Replace the link with the file itself, then run the command again',
      },
    )
  }
  return file
}
