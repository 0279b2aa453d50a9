import { Dialog } from '../components/dialog.tsx'
import { areLettersOn, shortcuts, switchLetters, type Shortcut } from './shortcuts.ts'

const FIXED: readonly Pick<Shortcut, 'keys' | 'label'>[] = [
  { keys: 'Escape', label: 'Close a dialog' },
  { keys: '← →', label: 'Move between tabs' },
]

/** Lists the keys of the current page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="keys">
        <tbody>
          {[...shortcuts.value, ...FIXED].map((each) => (
            <tr key={`${each.keys} ${each.label}`}>
              <th scope="row">
                <kbd>{formatKeys(each)}</kbd>
              </th>
              <td>{each.label}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input type="checkbox" checked={areLettersOn.value} onChange={switchLetters} /> Single
        letters are keys
      </label>
    </Dialog>
  )
}

function formatKeys({ keys, isCommand = false }: Pick<Shortcut, 'keys' | 'isCommand'>): string {
  const shown = keys === 'Enter' ? '⏎' : keys
  if (!isCommand) return shown
  return `${navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl+'}${shown.toUpperCase()}`
}
