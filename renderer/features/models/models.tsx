// The model files, and whether what they name answers.
import { useCallback, useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { count, duration } from '../../ui/format.ts';
import { BusyIcon, FailIcon, ModelIcon, PassIcon, RetryIcon, WarnIcon } from '../../ui/icons.ts';
import { Empty, ErrorNotice, Loading } from '../../ui/notice.tsx';
import { Facts, PageHead } from '../../ui/page.tsx';
import './models.css';

type Model = Awaited<ReturnType<LabClient['models']['list']>>['models'][number];
type Probe = Awaited<ReturnType<LabClient['models']['probe']>>;

export function Models() {
  const { client } = useLab();
  const [models, setModels] = useState<Model[] | null>(null);
  const [error, setError] = useState<ErrorData | null>(null);
  const read = useCallback(
    (signal?: AbortSignal) =>
      client.models.list({}, signal ? { signal } : {}).then(
        (answer) => {
          setModels(answer.models);
          setError(null);
        },
        (thrown: unknown) => {
          if (!signal?.aborted) setError(labError(thrown));
        },
      ),
    [client],
  );
  useEffect(() => {
    const leaving = new AbortController();
    void read(leaving.signal);
    return () => leaving.abort();
  }, [read]);
  useActions([{ id: 'models.read', title: 'Read the model files again', section: 'Models', icon: RetryIcon, run: () => void read() }]);
  return (
    <>
      <PageHead title="Models">
        <ActionButton action="models.read" label="Read again" />
      </PageHead>
      {error ? (
        <ErrorNotice error={error} retry={() => void read()} />
      ) : models === null ? (
        <Loading what="models" />
      ) : models.length === 0 ? (
        <Empty
          icon={ModelIcon}
          title="No models"
          words="A model is a YAML file in configs/models: a name, the URL of an OpenAI-compatible server, and how to sample."
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <ul className="scroll models" tabIndex={0} aria-label="Models">
          {models.map((model) => (
            <ModelCard key={model.file} model={model} />
          ))}
        </ul>
      )}
    </>
  );
}

function ModelCard({ model }: { model: Model }) {
  const { client } = useLab();
  const [probe, setProbe] = useState<Probe | 'asking' | ErrorData | null>(null);
  const ask = () => {
    setProbe('asking');
    client.models.probe({ name: model.name }).then(setProbe, (thrown: unknown) => setProbe(labError(thrown)));
  };
  const { config } = model;
  return (
    <li className="card model">
      <header className="row">
        <ModelIcon size={16} className="faint" aria-hidden />
        <h2 className="cut">{model.name}</h2>
        {config && <span className="chip">{config.kind === 'http' ? 'HTTP' : 'scripted'}</span>}
        <span className="grow" />
        {config && (
          <Button onClick={ask} disabled={probe === 'asking'}>
            Probe
          </Button>
        )}
      </header>
      {config?.kind === 'http' && (
        <Facts
          facts={[
            [
              'URL',
              <span key="url" className="mono">
                {config.url}
              </span>,
            ],
            [
              'Model',
              <span key="model" className="mono">
                {config.model}
              </span>,
            ],
            [
              'Key from',
              config.apiKeyEnv ? (
                <span key="key" className="mono">
                  ${config.apiKeyEnv}
                </span>
              ) : (
                'none'
              ),
            ],
            ['Context', config.contextLimit === undefined ? 'the server says' : `${count(config.contextLimit)} tokens`],
            ['Requests at once', config.concurrency],
            ['Logprobs', config.logprobs ? 'asked for' : 'no'],
          ]}
        />
      )}
      {config?.kind === 'scripted' && (
        <Facts
          facts={[
            [
              'Script',
              <span key="script" className="mono">
                {config.script}
              </span>,
            ],
            ['Delay', duration(config.delayMs)],
          ]}
        />
      )}
      {model.error && (
        <p className="sign model-error" data-tone="bad" role="alert">
          <WarnIcon size={14} aria-hidden />
          <span>{model.error}</span>
        </p>
      )}
      <p className="mono faint cut" title={model.file}>
        {model.file}
      </p>
      <ProbeResult probe={probe} />
    </li>
  );
}

function ProbeResult({ probe }: { probe: Probe | 'asking' | ErrorData | null }) {
  if (probe === null) return null;
  if (probe === 'asking') {
    return (
      <p className="sign" data-tone="busy" role="status">
        <BusyIcon size={14} className="spin" aria-hidden />
        Asking
      </p>
    );
  }
  const failed = 'code' in probe || !probe.ok;
  const words = 'code' in probe ? `${probe.message} ${probe.hint ?? ''}` : probe.detail;
  return (
    <p className="model-probe" data-tone={failed ? 'bad' : 'good'} role="status">
      <span className="sign">
        {failed ? <FailIcon size={14} aria-hidden /> : <PassIcon size={14} aria-hidden />}
        {failed ? 'Failed' : 'Answers'}
      </span>
      <span className="soft model-words">{words}</span>
      {'milliseconds' in probe && <span className="faint figures">{duration(probe.milliseconds)}</span>}
    </p>
  );
}
