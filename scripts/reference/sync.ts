import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Pages } from './markdown.ts'

/** Files below `folder` that are missing, differ from `pages`, or are not one of them; sorted. */
export function findStale(folder: string, pages: Pages): string[] {
  const changed = [...pages].filter(([path, text]) => readIfExists(join(folder, path)) !== text)
  const extra = listFiles(folder).filter((path) => !pages.has(path))
  return [...changed.map(([path]) => path), ...extra].toSorted()
}

/** Makes `folder` contain exactly `pages`; returns the paths that were written or removed. */
export function writePages(folder: string, pages: Pages): string[] {
  const stale = findStale(folder, pages)
  for (const path of stale) {
    const file = join(folder, path)
    const text = pages.get(path)
    if (text === undefined) rmSync(file)
    else {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
  return stale
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

function readIfExists(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
