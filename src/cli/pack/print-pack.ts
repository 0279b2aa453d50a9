import { join } from 'node:path'
import type { ExceededLimit } from '../../core/packing/host-limits.ts'
import type { PackedSkill } from '../../core/packing/pack-skill.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { Context } from '../context.ts'
import { formatCount } from '../ui/text.ts'

/** A packed skill in the JSON document. */
export function toPackRecord({ skill, version, tree, files, ...rest }: PackedSkill) {
  return {
    skill,
    version,
    tree,
    files,
    left_out: rest.leftOut,
    archives: rest.archives.map(({ format, file, bytes, digest }) => ({
      format,
      file,
      size: bytes.length,
      digest,
    })),
    exceeded_limits: rest.exceeded,
  }
}

/** Prints files, archives and digests. Warnings go to standard error. */
export function printPack(context: Context, pack: PackedSkill, out: string | undefined): void {
  const { skill, version, tree, files, leftOut, archives, exceeded } = pack
  const { style } = context
  const total = files.reduce((sum, { size }) => sum + size, 0)
  context.print(style.bold(toPrintable(`${skill}@${version}`)))
  const width = Math.max(0, ...files.map(({ size }) => String(size).length))
  for (const { mode, size, path } of files) {
    context.print(`  ${mode.slice(-3)}  ${String(size).padStart(width)}  ${toPrintable(path)}`)
  }
  context.print(`  ${formatCount(files.length, 'file')}, ${formatBytes(total)}  ${tree}`)
  for (const { file, bytes, digest } of archives) {
    const shown = out === undefined ? file : join(out, file)
    context.print(`${toPrintable(shown)}  ${formatBytes(bytes.length)}  ${digest}`)
  }
  if (leftOut.length > 0) context.note(describeLeftOut(leftOut))
  for (const limit of exceeded) context.note(`Warning: ${describeExceeded(limit)}`)
}

function describeLeftOut(leftOut: PackedSkill['leftOut']): string {
  const paths = leftOut.slice(0, 5).map(({ path }) => toPrintable(path))
  const more = leftOut.length > paths.length ? ', …' : ''
  return `Left out: ${leftOut.length} (${paths.join(', ')}${more})`
}

export function describeExceeded({ host, limit, max, actual }: ExceededLimit): string {
  if (limit === 'files') return `${actual} files, ${host} take at most ${max}`
  const noun = limit === 'bytes' ? 'unpacked' : 'as an archive'
  return `${formatBytes(actual)} ${noun}, the limit of ${host} is ${formatBytes(max)}`
}
