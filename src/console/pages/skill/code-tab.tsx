import { toPrintable } from '../../../util/printable.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { changeSearch } from '../../app/location.ts'
import { useMethod } from '../../app/use-method.ts'
import { CodeView } from '../../components/code-view.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { findLanguage } from '../../models/highlight.ts'
import { nameSkill, type InspectedSkill, type SkillTabProps } from './skill-tab.ts'

/** Larger files are not shown. */
const MAX_SHOWN_BYTES = 1024 ** 2

/** Files of the skill. */
export function CodeTab({ skill, search }: SkillTabProps) {
  const path = search.get('file') ?? skill.entrypoint ?? skill.files[0]?.path
  const file = skill.files.find((each) => each.path === path)
  return (
    <div class="two-columns">
      <FileList skill={skill} chosen={path} />
      {file ? (
        <FileView skill={skill} file={file} search={search} />
      ) : (
        <EmptyState title={`The skill has no file "${path ?? ''}".`} />
      )}
    </div>
  )
}

function FileList({ skill, chosen }: { skill: InspectedSkill; chosen: string | undefined }) {
  return (
    <nav aria-label="Files">
      <ul class="files">
        {skill.files.map(({ path, size_bytes: size, executable }) => (
          <li key={path}>
            <button
              type="button"
              class="quiet"
              aria-current={path === chosen ? 'true' : undefined}
              onClick={() => changeSearch({ file: path, line: undefined })}
            >
              {toPrintable(path)}
            </button>{' '}
            <span class="muted">
              {formatBytes(size)}
              {executable && ', executable'}
              {path === skill.entrypoint && ', entry point'}
            </span>
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface FileViewProps {
  skill: InspectedSkill
  file: InspectedSkill['files'][number]
  search: URLSearchParams
}

function FileView({ skill, file, search }: FileViewProps) {
  const isShown = file.size_bytes <= MAX_SHOWN_BYTES
  const state = useMethod(
    'read_skill_file',
    isShown ? { ...nameSkill(skill), path: file.path } : undefined,
  )
  if (!isShown) {
    return (
      <EmptyState
        title={`${toPrintable(file.path)} has ${formatBytes(file.size_bytes)}, which is too much to show.`}
      />
    )
  }
  const line = Number(search.get('line'))
  return (
    <Loading state={state} label={file.path}>
      {({ content, encoding }) =>
        encoding === undefined ? (
          <section aria-label={file.path}>
            <h2>
              {toPrintable(file.path)} <CopyButton text={content} />
            </h2>
            <CodeView
              text={content}
              language={findLanguage(file.path)}
              label={`Text of ${file.path}`}
              marked={line > 0 ? [line, line] : undefined}
            />
          </section>
        ) : (
          <EmptyState title={`${toPrintable(file.path)} is not text.`} />
        )
      }
    </Loading>
  )
}
