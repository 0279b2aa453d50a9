import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toPrintable } from '../../util/printable.ts'
import { escapeXml } from '../../util/xml.ts'
import {
  countAllLines,
  countLines,
  countSurface,
  toPercent,
  type FileCoverage,
  type SkillCoverage,
} from './coverage-report.ts'

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; background: #fff }
pre { font: 13px/1.5 ui-monospace, monospace; overflow-x: auto; border: 1px solid #ccc; border-radius: 4px; padding: .5rem 0 }
pre span { display: block; padding: 0 .7rem }
.hit { background: #e6f6e6 } .missed { background: #fde4e4 }
i { display: inline-block; width: 6rem; color: #666; font-style: normal }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } .hit { background: #16351a } .missed { background: #4a1c1c } i { color: #999 } pre { border-color: #444 } }
`

/** One page without scripts and without other files. */
export function formatCoverageHtml(skills: readonly SkillCoverage[]): string {
  const lines = toPercent(countAllLines(skills))
  const surface = toPercent(countSurface(skills))
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>Coverage</title>',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<style>${STYLE}</style></head><body>`,
    `<h1>Coverage</h1><p>Lines ${lines} %, interface ${surface} %</p>`,
    ...skills.flatMap(describeSkillPage),
    '</body></html>\n',
  ].join('\n')
}

function describeSkillPage({ skill, folder, files, surface }: SkillCoverage): string[] {
  return [
    `<h2>${escapeText(skill)}</h2>`,
    '<ul>',
    ...surface.map(
      ({ kind, name, isCovered }) =>
        `<li class="${isCovered ? 'hit' : 'missed'}">${kind} ${escapeText(name)}: ${isCovered ? 'used' : 'not used'}</li>`,
    ),
    '</ul>',
    ...files.flatMap((file) => [
      `<h3>${escapeText(file.path)}: ${toPercent(countLines(file))} %</h3>`,
      `<pre>${describeSource(file, readFileSync(join(folder, file.path), 'utf8'))}</pre>`,
    ]),
  ]
}

function describeSource({ lines }: FileCoverage, text: string): string {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => {
      const count = lines.get(at + 1)
      const style = count === undefined ? '' : count > 0 ? ' class="hit"' : ' class="missed"'
      return `<span${style}><i>${at + 1}${count === undefined ? '' : ` × ${count}`}</i>${escapeText(line)}</span>`
    })
    .join('')
}

function escapeText(text: string): string {
  return escapeXml(toPrintable(text))
}
