// The sheet of keys: what the registry offers here and now, by section.
import { currentActions } from '../ui/actions.ts';
import { Keys } from '../ui/button.tsx';
import { Dialog } from '../ui/overlay.tsx';

export function KeySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Keyboard shortcuts"
      width={680}
      description="These work on this screen. In lists, arrow keys or J and K move, Enter opens. A terminal that is typed into gets every key except the one that leaves it."
    >
      {open && <Sheet />}
    </Dialog>
  );
}

function Sheet() {
  const sections = Map.groupBy(
    currentActions().filter((action) => action.keys),
    (action) => action.section,
  );
  return (
    <div className="key-sheet">
      {[...sections].map(([section, actions]) => (
        <section key={section} className="key-section">
          <h3>{section}</h3>
          {actions.map((action) => (
            <div key={action.id} className="key-row">
              <span>{action.title}</span>
              <span className="row">
                {action.keys?.map((chord) => (
                  <Keys key={chord} chord={chord} />
                ))}
              </span>
            </div>
          ))}
        </section>
      ))}
    </div>
  );
}
