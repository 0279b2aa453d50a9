import { join, relative } from 'node:path'
import { escapeXml } from '../../util/xml.ts'
import {
  addCounts,
  countAllLines,
  countLines,
  type CoverageCount,
  type FileCoverage,
  type SkillCoverage,
} from './coverage-report.ts'

/** The format of Cobertura, with a package for each skill. The interface has no place in it. */
export function formatCobertura(
  skills: readonly SkillCoverage[],
  { cwd }: { cwd: string },
): string {
  const all = countAllLines(skills)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<coverage line-rate="${toRate(all)}" branch-rate="0" lines-covered="${all.covered}" lines-valid="${all.total}" branches-covered="0" branches-valid="0" complexity="0" version="1" timestamp="0">`,
    `  <sources><source>${escapeXml(cwd)}</source></sources>`,
    '  <packages>',
    ...skills.flatMap(({ skill, folder, files }) => [
      `    <package name="${escapeXml(skill)}" line-rate="${toRate(addCounts(files.map(countLines)))}" branch-rate="0" complexity="0">`,
      '      <classes>',
      ...files.flatMap((file) => describeClass(file, relative(cwd, join(folder, file.path)))),
      '      </classes>',
      '    </package>',
    ]),
    '  </packages>',
    '</coverage>\n',
  ].join('\n')
}

function describeClass(file: FileCoverage, path: string): string[] {
  return [
    `        <class name="${escapeXml(file.path)}" filename="${escapeXml(path)}" line-rate="${toRate(countLines(file))}" branch-rate="0" complexity="0">`,
    '          <methods/>',
    '          <lines>',
    ...[...file.lines]
      .sort(([a], [b]) => a - b)
      .map(([line, count]) => `            <line number="${line}" hits="${count}"/>`),
    '          </lines>',
    '        </class>',
  ]
}

function toRate({ covered, total }: CoverageCount): string {
  return (total === 0 ? 1 : covered / total).toFixed(4)
}
